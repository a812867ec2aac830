"""The open formality corpus: GYAFC's task on data that anyone may have.

No large open corpus of formality exists, so this one is assembled: `sources` knows
every source with its domain, licence and how its pairs were made; `building` splits,
removes leaks and writes the files; `synthetic` filters pairs whose formal side a model
wrote. docs/formality.md has its sizes.
"""

from paraphrast.corpora.formality.building import (
    Assembled,
    Report,
    assemble,
    build,
    read_built,
)
from paraphrast.corpora.formality.sources import DOMAINS, STYLES, Row, other_style

__all__ = [
    "DOMAINS",
    "STYLES",
    "Assembled",
    "Report",
    "Row",
    "assemble",
    "build",
    "other_style",
    "read_built",
]
