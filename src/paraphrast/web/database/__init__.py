"""The studio's database: SQLite for one machine, PostgreSQL for many people.

`tables` defines the schema, `migrations` upgrades older databases, and `engine` opens
one. Nothing is ever deleted by cascade: projects are archived, keys and sessions are
revoked, and annotations are an append-only log.
"""

from paraphrast.web.database.engine import Database, open_database

__all__ = ["Database", "open_database"]
