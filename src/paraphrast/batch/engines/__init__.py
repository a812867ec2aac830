"""Where the workers of a batch job are; see `paraphrast.batch.schedule.Engine`."""

from contextlib import AbstractContextManager
from pathlib import Path

from paraphrast.batch.schedule import Engine
from paraphrast.errors import unknown

ENGINES = ("processes", "ray")


def open_engine(
    name: str, folder: Path, *, workers: int, address: str | None = None
) -> AbstractContextManager[Engine]:
    """Return the engine of that name; ``address`` is that of a Ray cluster."""
    if name == "processes":
        from paraphrast.batch.engines.processes import Processes

        return Processes(folder, workers)
    if name == "ray":
        from paraphrast.batch.engines.ray import Ray

        return Ray(folder, workers, address)
    raise unknown("engine", name, ENGINES)
