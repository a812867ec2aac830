"""Optional packages, and the extra that installs each.

``pip install paraphrast`` installs what rewriting needs. These packages are imported
through `require`, so that a missing one gives a one-line error.
"""

import shlex
import sys
from importlib import import_module
from typing import Any

from paraphrast.errors import ParaphrastError

EXTRAS = {
    "alembic": "web",
    "datasets": "datasets",
    "fastapi": "web",
    "httpx": "llm",
    "lxml": "documents",
    "jinja2": "research",
    "multipart": "web",
    "pandas": "pandas",
    "psycopg": "postgres",
    "pwdlib": "web",
    "pyarrow": "scale",
    "rapidfuzz": "research",
    "ray": "scale",
    "sacrebleu": "research",
    "spacy": "spacy",
    "sqlalchemy": "web",
    "starlette": "web",
    "thot": "research",
    "threadpoolctl": "research",
    "torch": "train",
    "transformers": "train",
    "uvicorn": "web",
    "xllamacpp": "large",
    "zstandard": "scale",
}


def require(module: str) -> Any:
    """Import a module of an optional package, or say how to install it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise explain(error) from error


def explain(error: ModuleNotFoundError) -> ParaphrastError:
    """Return the user's error for a missing optional package; raise any other."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        raise error
    # A plain `pip` may be another environment's.
    python = shlex.quote(sys.executable)
    return ParaphrastError(
        f"this needs {package}, which is not installed. Install it with "
        f"`{python} -m pip install 'paraphrast[{EXTRAS[package]}]'`."
    )
