"""The command line of a script whose stages fill a working folder."""

import argparse
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from training.rewriter.workspace import Workspace


@dataclass(frozen=True)
class Stage:
    """A stage: its function, the file that marks it as done, and its time limit."""

    run: Callable[[Workspace, float], None]
    makes: str
    seconds: float = 0.0


def run(stages: Mapping[str, Stage], about: str | None) -> None:
    """Run the stages that the command line names; a stage that is done is skipped."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stages", nargs="+", choices=stages)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seconds", type=float, help="time limit of each stage")
    parser.add_argument("--share", type=float, default=1.0, help="share of the data")
    parser.add_argument("--device", default="auto")
    parser.add_argument(
        "--learning-rate", type=float, default=3e-4, help="of reinforcement learning"
    )
    options = parser.parse_args()
    work = Workspace(
        options.work, options.share, _device(options.device), options.learning_rate
    )
    for name in options.stages:
        stage = stages[name]
        if (work.folder / stage.makes).exists():
            print(f"{name}: already done", flush=True)
            continue
        began = time.time()
        stage.run(work, options.seconds or stage.seconds)
        work.free_memory()
        print(f"{name}: {time.time() - began:.0f} s", flush=True)


def _device(name: str) -> str:
    from paraphrast.neural.finetune.trainer import device_named

    return device_named(name)
