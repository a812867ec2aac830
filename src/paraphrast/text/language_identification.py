"""Which language a text is in, by py3langid.

Its model takes a second and 100 MB the first time; it is read once per process.
"""

from functools import cache
from typing import Any


def identify_language(text: str) -> str:
    """Return the code of the likeliest language, such as "en"."""
    return str(_load_identifier().classify(text)[0])


def list_languages() -> list[str]:
    """Return the codes of the languages that can be told."""
    return list(_load_identifier().labels)


@cache
def _load_identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)
