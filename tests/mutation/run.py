"""Mutation testing: change the code in one spot, and see whether a test notices.

    .venv/bin/python tests/mutation/run.py MODULE… --tests FILE… [--sample N]

A mutant differs from the module by one change: a comparison flipped, an integer one
more or less, a condition negated, an operator swapped, a statement deleted, a result
replaced by None. Annotations, decorators, docstrings and the texts of messages are
left alone. A mutant is killed if a test fails or takes too long; of each mutant only
those tests are run that execute its lines (all tests, if none does in this process).
The module on disk is never touched. Exit status: 0, or 2 if the tests fail as they are.
"""

import argparse
import ast
import copy
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import hypothesis  # noqa: F401 - loaded once, before the forks
import numpy as np  # noqa: F401
import pytest
import sitecustomize

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
OPTIONS = ("-x", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "--no-header")
FLIPS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
SWAPS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Site:
    """A change that can be made, and the lines whose tests should notice it."""

    first: int
    last: int
    change: str


class Mutator(ast.NodeTransformer):
    """Lists the changes that can be made to a module, and makes the chosen one."""

    def __init__(self, chosen: int | None = None) -> None:
        self.chosen = chosen
        self.sites: list[Site] = []

    def offer(self, node: Any, make: Callable[[], Any], change: str) -> Any:
        """Note a possible change of a node; return the node, changed if chosen."""
        number = len(self.sites)
        self.sites.append(Site(node.lineno, node.end_lineno, change))
        return ast.copy_location(make(), node) if number == self.chosen else node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        for index, operator in enumerate(node.ops):
            for other in FLIPS[type(operator)]:
                ops = [*node.ops[:index], other(), *node.ops[index + 1 :]]
                flipped = partial(ast.Compare, node.left, ops, node.comparators)
                change = f"{type(operator).__name__} -> {other.__name__}"
                node = self.offer(node, flipped, change)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        self.generic_visit(node)
        other = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        return self.offer(node, lambda: ast.BoolOp(other, node.values), "and <-> or")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return self.offer(node, lambda: node.operand, "drop not")
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        other = SWAPS.get(type(node.op))
        if other is None:
            return node
        change = f"{type(node.op).__name__} -> {other.__name__}"
        return self.offer(
            node, lambda: ast.BinOp(node.left, other(), node.right), change
        )

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        node.value = self.visit(node.value)
        return self.offer(node, ast.Pass, "delete statement")

    def visit_Constant(self, node: ast.Constant) -> Any:
        value = node.value
        if isinstance(value, bool):
            return self.offer(node, lambda: ast.Constant(not value), f"{not value}")
        if isinstance(value, int):
            more = self.offer(node, lambda: ast.Constant(value + 1), f"{value} + 1")
            less = self.offer(node, lambda: ast.Constant(value - 1), f"{value} - 1")
            return more if more is not node else less
        return node

    def visit_If(self, node: ast.If) -> Any:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node
        node.test = self._negated(node.test)
        self.generic_visit(node)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        node.test = self._negated(node.test)
        self.generic_visit(node)
        return node

    def visit_While(self, node: ast.While) -> Any:
        node.test = self.offer(node.test, lambda: ast.Constant(False), "while False")
        self.generic_visit(node)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        self.generic_visit(node)
        node.ifs = [self._negated(test) for test in node.ifs]
        return node

    def _negated(self, test: ast.expr) -> ast.expr:
        # Comparisons and `not` are changed where they stand.
        if isinstance(test, ast.Compare) or (
            isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        ):
            return test
        negated = ast.UnaryOp(ast.Not(), test)
        result: ast.expr = self.offer(test, lambda: negated, "negate condition")
        return result

    def visit_Return(self, node: ast.Return) -> Any:
        self.generic_visit(node)
        if node.value is None or (
            isinstance(node.value, ast.Constant) and node.value.value is None
        ):
            return node
        return self.offer(node, lambda: ast.Return(ast.Constant(None)), "return None")

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Constant):  # a docstring, or `...`
            return node
        self.generic_visit(node)
        return self.offer(node, ast.Pass, "delete statement")

    def visit_Assign(self, node: ast.Assign) -> Any:
        node.value = self.visit(node.value)
        # Without a local name the next line fails, which any test would notice.
        if any(isinstance(target, ast.Name) for target in node.targets):
            return node
        return self.offer(node, ast.Pass, "delete statement")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        self.generic_visit(node)
        return self.offer(node, ast.Pass, "delete statement")

    def visit_Break(self, node: ast.Break) -> Any:
        return self.offer(node, ast.Pass, "delete statement")

    def visit_Continue(self, node: ast.Continue) -> Any:
        return self.offer(node, ast.Pass, "delete statement")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        arguments = node.args
        arguments.defaults = [self.visit(value) for value in arguments.defaults]
        arguments.kw_defaults = [
            value and self.visit(value) for value in arguments.kw_defaults
        ]
        node.body = [self.visit(statement) for statement in node.body]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        return node


def list_sites(tree: ast.Module) -> list[Site]:
    """Return every change that can be made to a module."""
    mutator = Mutator()
    mutator.visit(copy.deepcopy(tree))
    return mutator.sites


def make_mutant(tree: ast.Module, number: int) -> str:
    """Return the source of a module with one change made."""
    changed = Mutator(number).visit(copy.deepcopy(tree))
    return ast.unparse(ast.fix_missing_locations(changed))


class Tracer:
    """A pytest plugin that notes which lines of the modules each test executes."""

    def __init__(self, modules: Sequence[Path]) -> None:
        self.files = {str(path) for path in modules}
        self.lines: dict[str, dict[int, list[str]]] = {f: {} for f in self.files}
        self.test = ""  # while modules are imported: no test in particular

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        if frame.f_code.co_filename not in self.files:
            return None
        return self._note

    def _note(self, frame: FrameType, event: str, argument: object) -> Any:
        lines = self.lines[frame.f_code.co_filename]
        tests = lines.setdefault(frame.f_lineno, [])
        if not tests or tests[-1] != self.test:
            tests.append(self.test)
        return self._note

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.test = item.nodeid
        try:
            return (yield)
        finally:
            self.test = ""


def run_child(work: Callable[[], int], seconds: float | None) -> int | None:
    """Return the exit status of work done in a forked process; None if too slow."""
    child = os.fork()
    if child == 0:
        os.setsid()
        quiet = os.open(os.devnull, os.O_RDWR)
        for handle in (0, 1, 2):
            os.dup2(quiet, handle)
        os._exit(work())
    end = time.monotonic() + (seconds or float("inf"))
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > end:
            break
        time.sleep(0.02)
    finished = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # and whatever its tests have left running
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) if finished else None


def trace_tests(
    modules: Sequence[Path], tests: Sequence[str], scratch: Path
) -> tuple[dict[str, dict[int, list[str]]], float]:
    """Return which tests execute each line of each module, and the seconds of all.

    They must all pass.
    """
    path = scratch / "lines.json"

    def work() -> int:
        tracer = Tracer(modules)
        sys.settrace(tracer)
        threading.settrace(tracer)
        status = int(pytest.main([*OPTIONS, *tests], plugins=[tracer]))
        sys.settrace(None)
        path.write_text(json.dumps(tracer.lines))
        return status

    start = time.monotonic()
    if run_child(work, None) != 0:
        print("the tests fail without any change. Run them and fix them first.")
        sys.exit(2)
    table = json.loads(path.read_text())
    seconds = time.monotonic() - start
    lines = {f: {int(n): t for n, t in lines.items()} for f, lines in table.items()}
    return lines, seconds


def tests_of(
    site: Site, lines: dict[int, list[str]], tests: Sequence[str]
) -> list[str]:
    """Return the tests that execute a site; all, if no test or an import does."""
    wanted: dict[str, None] = {}
    for line in range(site.first, site.last + 1):
        wanted.update(dict.fromkeys(lines.get(line, ())))
    return list(tests) if not wanted or "" in wanted else list(wanted)


def run_mutant(
    module: Path, source: str, tests: Sequence[str], scratch: Path, seconds: float
) -> int | None:
    """Return how the tests end with a mutant in place of a module; None if too slow."""
    mutant = scratch / "mutant.py"
    mutant.write_text(source, encoding="utf-8")
    name = ".".join(module.relative_to(ROOT / "src").with_suffix("").parts)
    setting = f"{name.removesuffix('.__init__')}:{mutant}:{module}"

    def work() -> int:
        os.environ[sitecustomize.VARIABLE] = setting
        os.environ["PYTHONPATH"] = str(HERE)
        sitecustomize.install(setting)
        return int(pytest.main([*OPTIONS, "--hypothesis-seed=1", *tests]))

    return run_child(work, seconds)


SECONDS = 30.0  # that a mutant may take, and twice those of all tests, traced, more


def main() -> None:
    """Try every mutant, or a sample of them, and say which survive."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="+", type=Path, help="Files or folders.")
    parser.add_argument("--tests", nargs="+", required=True, help="Files of tests.")
    parser.add_argument("--sample", type=int, help="Number of mutants per module.")
    parser.add_argument("--seed", type=int, default=1, help="Seed of the sample.")
    options = parser.parse_args()
    os.chdir(ROOT)
    modules = [
        path
        for given in options.modules
        for path in (sorted(given.rglob("*.py")) if given.is_dir() else [given])
    ]
    modules = [path.resolve() for path in modules]
    killed = total = 0
    with tempfile.TemporaryDirectory() as folder:
        lines, seconds = trace_tests(modules, options.tests, Path(folder))
        seconds = SECONDS + 2 * seconds
        for module in modules:
            tree = ast.parse(module.read_text("utf-8"))
            sites = list(enumerate(list_sites(tree)))
            if options.sample and options.sample < len(sites):
                draw = random.Random(options.seed)  # noqa: S311
                sites = sorted(draw.sample(sites, options.sample))
            alive = late = 0
            for number, site in sites:
                tests = tests_of(site, lines[str(module)], options.tests)
                source = make_mutant(tree, number)
                status = run_mutant(module, source, tests, Path(folder), seconds)
                late += status is None
                if status == 0:
                    alive += 1
                    place = f"{module.relative_to(ROOT)}:{site.first}"
                    note = "" if tests != options.tests else " (not traced)"
                    print(f"survived {place} {site.change}{note}", flush=True)
            killed, total = killed + len(sites) - alive, total + len(sites)
            name = module.relative_to(ROOT)
            by_time = f", {late} of them by time" if late else ""
            dead = len(sites) - alive
            print(f"{name}: killed {dead} of {len(sites)}{by_time}", flush=True)
    share = f" ({killed / total:.1%})" if total else ""
    print(f"killed {killed} of {total}{share}")


if __name__ == "__main__":
    main()
