"""The studio's database: SQLite for one machine, PostgreSQL for many people.

`tables` says what is kept, `migrations` how older databases become today's, and
`engine` opens one. Nothing is ever deleted by cascade: projects are archived, keys and
sessions are revoked, and what annotators did is a log that only grows.
"""

from paraphrast.web.database.engine import Database, open_database

__all__ = ["Database", "open_database"]
