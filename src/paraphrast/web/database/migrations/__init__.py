"""Bring a database of any released version up to date.

One file in ``versions`` per step, never changed once released; Alembic keeps the last
step's name in the database.
"""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Engine

from paraphrast.errors import ParaphrastError


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Run the steps that the database has not seen, all or none."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    with engine.execution_options(write=True).begin() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, revision)
        except CommandError as error:
            newest = ScriptDirectory.from_config(config).get_current_head()
            raise ParaphrastError(
                f"the database {engine.url.render_as_string()} was made by a newer "
                f"paraphrast: {error} Upgrade paraphrast, which knows versions up to "
                f"{newest}."
            ) from error
