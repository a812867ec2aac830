"""What all tests share: they see no pack or setting but those that they bring along."""

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


@pytest.fixture(autouse=True)
def no_bundled_pack(request, monkeypatch, tmp_path_factory):
    """Hide the pack that comes with paraphrast, unless a test is about it."""
    if not request.node.get_closest_marker("bundled"):
        empty = tmp_path_factory.getbasetemp() / "no-packs"
        monkeypatch.setattr(packs, "BUNDLED", empty)


@pytest.fixture(autouse=True)
def no_installed_pack(monkeypatch, tmp_path_factory):
    """Hide the packs that the user installed, from programs started by a test too."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.getbasetemp()))
    monkeypatch.delenv("PARAPHRAST_PACKS", raising=False)


@pytest.fixture(autouse=True)
def no_preferences(monkeypatch, tmp_path_factory):
    """Hide the user's own settings."""
    path = tmp_path_factory.getbasetemp() / "no-config.toml"
    monkeypatch.setattr(preferences, "PATH", path)
    monkeypatch.delenv(preferences.VARIABLE, raising=False)


@pytest.fixture
def run(monkeypatch, capfdbinary):
    """Run the command line in this process; give back code, stdout, stderr."""

    def command(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["paraphrast", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capfdbinary.readouterr()
        return stopped.value.code, out.decode(errors="surrogateescape"), err.decode()

    return command
