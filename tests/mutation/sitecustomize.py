"""Load one module from another file: the mutant that the environment names.

`run.py` calls `install` in its own children. This folder is also on their PYTHONPATH,
so that every Python process that a test starts loads the same mutant.
"""

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from types import CodeType, ModuleType

VARIABLE = "PARAPHRAST_MUTANT"  # "dotted.name:path of the mutant:path of the module"


class _Loader(SourceFileLoader):
    """Compiles the mutant and keeps the module's own name and path."""

    def __init__(self, name: str, path: str, mutant: str) -> None:
        super().__init__(name, path)
        self.mutant = mutant

    def get_code(self, fullname: str) -> CodeType | None:
        with open(self.mutant, encoding="utf-8") as file:
            return compile(file.read(), self.path, "exec")


class _Finder(MetaPathFinder):
    def __init__(self, name: str, mutant: str, path: str) -> None:
        self.name, self.mutant, self.path = name, mutant, path

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        loader = _Loader(fullname, self.path, self.mutant)
        is_package = self.path.endswith("__init__.py")
        return spec_from_file_location(
            fullname,
            self.path,
            loader=loader,
            submodule_search_locations=[os.path.dirname(self.path)]
            if is_package
            else None,
        )


def install(setting: str) -> None:
    """Let imports of one module give its mutant."""
    name, mutant, path = setting.split(":")
    sys.meta_path.insert(0, _Finder(name, mutant, path))


if os.environ.get(VARIABLE):
    install(os.environ[VARIABLE])
