"""What Alembic runs: the steps, on the connection that `upgrade` gives it."""

from alembic import context

from paraphrast.web.database.tables import Table

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Table.metadata,
    render_as_batch=True,
)
context.run_migrations()
