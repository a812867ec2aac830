"""The open formality corpus: GYAFC's task on openly available data.

No large open formality corpus exists, so this one is assembled: `sources` lists every
source with its domain, licence and the origin of its pairs; `building` splits, removes
leaks and writes the files; `synthetic` filters pairs whose formal side was written by a
model. docs/formality.md has its sizes.
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
