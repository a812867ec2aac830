"""Fixtures for all tests, which see no packs or settings except their own."""

import io
import os
import sys

# Before any library reads it: tests run side by side, one per core, and a second thread
# of theirs would only wait for the core of another test.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from paraphrast import preferences
from paraphrast.cli.main import main
from paraphrast.storage import packs

pytest_plugins = ["web_databases"]

# How long an example takes says more of the machine than of the code.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


BUNDLED = packs.BUNDLED


@pytest.fixture(scope="session", autouse=True)
def nothing_of_the_users(tmp_path_factory):
    """Hide the user's packs and settings, also from programs that a test starts."""
    folder = tmp_path_factory.getbasetemp()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packs, "BUNDLED", folder / "no-packs")
        patch.setattr(preferences, "PATH", folder / "no-config.toml")
        patch.setenv("HOME", str(folder))
        for name in ("PARAPHRAST_PACKS", preferences.VARIABLE):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(autouse=True)
def bundled_pack(request, monkeypatch):
    """Show the pack that comes with paraphrast to the tests that are about it."""
    if request.node.get_closest_marker("bundled"):
        monkeypatch.setattr(packs, "BUNDLED", BUNDLED)


@pytest.fixture
def run(monkeypatch, capfdbinary):
    """Run the command line in this process; return exit code, stdout and stderr."""

    def command(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["paraphrast", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capfdbinary.readouterr()
        return stopped.value.code, out.decode(errors="surrogateescape"), err.decode()

    return command
