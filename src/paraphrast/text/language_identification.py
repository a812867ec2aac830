"""Identify the language of a text with py3langid.

Its model takes a second and 100 MB to load; it is loaded once per process.
"""

from functools import cache
from typing import Any


def identify_language(text: str) -> str:
    """Return the code of the most probable language, such as "en"."""
    return str(_load_identifier().classify(text)[0])


def list_languages() -> list[str]:
    """Return the codes of the languages that can be identified."""
    return list(_load_identifier().labels)


@cache
def _load_identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)
