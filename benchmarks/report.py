"""Write a benchmark's result as JSON that says where, on what and with what.

Every script in this folder ends with `report`; its output is redirected into
``results/NAME.json``, and the generated pages are made from those files alone. A script
that is run in pieces writes its file itself, with `make_record`.
"""

import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from paraphrast import reproduce


def report(*, claim: str, versions: tuple[str, ...] = (), **facts: object) -> None:
    """Print the claim and its facts as JSON on stdout."""
    record = make_record(claim=claim, versions=versions, **facts)
    json.dump(record, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def make_record(
    *, claim: str, versions: tuple[str, ...] = (), **facts: object
) -> dict[str, object]:
    """Return the claim and its facts, with the machine, the commit and the versions."""
    return {
        "claim": claim,
        **facts,
        "versions": {name: version(name) for name in ("paraphrast", *versions)},
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "commit": find_commit(),
    }


def find_commit() -> str:
    """Return the commit of the running code."""
    return reproduce.find_commit(Path(__file__).parent) or "unknown"
