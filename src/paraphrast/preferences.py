"""The user's own settings: ``~/.config/paraphrast/config.toml``.

``PARAPHRAST_CONFIG`` names another file. All settings are optional::

    using = "large"                       # rewriter where none is named

    [llm]
    url = "http://127.0.0.1:8080/v1"
    model = "qwen2.5-7b-instruct"
    key_variable = "PARAPHRAST_LLM_KEY"   # environment variable that holds the key
    concurrency = 4
    timeout = 60.0
"""

import os
from dataclasses import dataclass, field
from pathlib import Path

from paraphrast import config
from paraphrast.errors import ParaphrastError

PATH = Path("~/.config/paraphrast/config.toml")
VARIABLE = "PARAPHRAST_CONFIG"


@dataclass(frozen=True)
class LlmSettings:
    """The endpoint and its settings; ``timeout`` is in seconds per text."""

    url: str = ""
    model: str = ""
    key_variable: str = "PARAPHRAST_LLM_KEY"
    concurrency: int = 4
    timeout: float = 60.0

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if not 1 <= self.concurrency <= 64:
            raise ValueError(f"concurrency must be 1 to 64, not {self.concurrency}.")
        if not 0 < self.timeout <= 3600:
            raise ValueError(f"timeout must be up to 3600 s, not {self.timeout:g}.")


@dataclass(frozen=True)
class Preferences:
    """The user's settings for all commands."""

    using: str = ""
    llm: LlmSettings = field(default_factory=LlmSettings)


def load() -> Preferences:
    """Return the user's settings; the defaults if there is no file."""
    given = os.environ.get(VARIABLE)
    path = Path(given) if given else PATH.expanduser()
    if not path.is_file():
        if given:
            raise ParaphrastError(f"{VARIABLE} names {given}, which is not a file.")
        return Preferences()
    return config.load(path, Preferences)
