"""What a batch job does with each record: a small registry of tasks.

A task is a frozen dataclass whose fields are its settings. Its result for a record
depends on the record and the settings alone, never on the records beside it. Each task
gives, record by record, what a command gives for a file: `rewrite`, `metrics judge`,
`align pairs`, `corpora filter`; `pivot` also needs all of them together, in `reduce`.
"""

import json
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self, TypeAlias, cast

from paraphrast import config
from paraphrast.batch.inputs import Content, Form
from paraphrast.errors import unknown

# Where each task is, so that none is imported before it is asked for.
TASKS = {
    "align": "paraphrast.batch.tasks.align:Align",
    "filter": "paraphrast.batch.tasks.filter:Filter",
    "judge": "paraphrast.batch.tasks.judge:Judge",
    "pivot": "paraphrast.batch.tasks.pivot:Pivot",
    "rewrite": "paraphrast.batch.tasks.rewrite:Rewriting",
}


@dataclass(frozen=True, slots=True)
class Output:
    """What is written for a record: bytes that end in a newline, or none.

    ``why`` says why the record was left unchanged or dropped; ``failed`` that this was
    because of an error or a dead worker, not a decision of the task.
    """

    data: bytes
    why: str = ""
    failed: bool = False


# Records that `Task.read` returned to what is written for each of them.
Run: TypeAlias = Callable[[Sequence[Any]], list[Output]]


class Task:
    """One kind of batch job.

    ``forms`` are the formats that it reads, and ``headed`` those of them whose files
    begin with a header.
    """

    name: ClassVar[str]
    forms: ClassVar[frozenset[Form]]
    headed: ClassVar[frozenset[Form]]
    reduces: ClassVar[bool] = False  # its result is more than the shards' joined

    @property
    def keeps_form(self) -> bool:
        """Say whether the result has the input's format, rather than JSON Lines."""
        return False

    def result_form(self, form: Form) -> Form:
        """Return the format of the result for inputs of a format."""
        return form if self.keeps_form else "jsonl"

    def resolve(self) -> Self:
        """Return the task with the user's own settings filled in."""
        return self

    @abstractmethod
    def models(self) -> dict[str, str]:
        """Return the hash of every model that is used, by its name for users."""

    def prepare(self, folder: Path, contents: Iterator[Content]) -> None:
        """Refuse unreadable input, and store what workers need in the plan."""
        self.read(next(contents))

    @abstractmethod
    def read(self, content: Content) -> list[Any]:
        """Return the records of a range, one for each that was counted in it."""

    @abstractmethod
    def start(self, folder: Path) -> Run:
        """Load the models; ``folder`` is that of the plan."""

    @abstractmethod
    def give_up(self, record: Any, why: str) -> Output:
        """Return what is written for a record that could not be worked on."""

    def write_header(self, header: str, form: Form) -> bytes:
        """Return what precedes the results of a table."""
        return b""

    def reduce(self, paths: Sequence[Path], folder: Path) -> Path:
        """Combine the shards' results into the job's result, if this task `reduces`."""
        raise NotImplementedError


def task_class(name: str) -> type[Task]:
    """Return the task of that name."""
    if name not in TASKS:
        raise unknown("task", name, TASKS)
    module, _, attribute = TASKS[name].partition(":")
    return cast(type[Task], getattr(import_module(module), attribute))


def build_task(table: Mapping[str, Any], *, where: str) -> Task:
    """Return the task that `describe_task` described, or one from a user's settings."""
    settings = dict(table)
    kind = task_class(str(settings.pop("name", "")))
    return config.build(settings, kind, where=where)


def describe_task(task: Task) -> dict[str, Any]:
    """Return a task's name and settings as JSON can hold them."""
    settings = asdict(cast(Any, task))
    given = {key: value for key, value in settings.items() if value is not None}
    return {"name": task.name, **json.loads(json.dumps(given, default=str))}
