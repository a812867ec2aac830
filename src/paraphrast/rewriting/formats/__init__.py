"""Documents that keep their structure and formatting in their own format.

A format reads a document into segments (`segments`), these are rewritten as one text
(`rewriting`), the formatting of words follows word alignment (`origins`), and the
format writes the document again. HTML, e-books, OpenDocument, RTF, subtitles and
catalogues are edited in place (`marked`, `markup`); of a Word document only the changed
paragraphs are rebuilt.
"""

from importlib import import_module

from paraphrast.errors import unknown
from paraphrast.rewriting.formats.segments import (
    Document,
    DocumentFormat,
    Rewritten,
    Segment,
    Trackable,
)

# The file endings of each format, and where it is.
_HOME = "paraphrast.rewriting.formats."
_FORMATS = {
    "docx": ((".docx", ".dotx"), "docx:format"),
    "epub": ((".epub",), "epub:format"),
    "html": ((".html", ".htm", ".xhtml"), "html:format"),
    "md": ((".md", ".markdown"), "markdown:format"),
    "odt": ((".odt", ".ott"), "odt:format"),
    "po": ((".po", ".pot"), "po:format"),
    "rtf": ((".rtf",), "rtf:format"),
    "srt": ((".srt",), "subtitles:srt"),
    "vtt": ((".vtt",), "subtitles:vtt"),
}
SUFFIXES = {end: name for name, (ends, _) in _FORMATS.items() for end in ends}
WHOLE = frozenset(_FORMATS) - {"md"}  # that are not written bit by bit
PACKED = frozenset(("docx", "epub", "odt"))  # archives, no text
CHECKED = PACKED | {"rtf"}  # that refuse by themselves what is no such file


def format_named(name: str) -> DocumentFormat:
    """Return the format of documents called ``name``."""
    if name not in _FORMATS:
        raise unknown("format of documents", name, _FORMATS)
    module, _, attribute = _FORMATS[name][1].partition(":")
    document_format: DocumentFormat = getattr(import_module(_HOME + module), attribute)
    return document_format


__all__ = [
    "CHECKED",
    "PACKED",
    "SUFFIXES",
    "WHOLE",
    "Document",
    "DocumentFormat",
    "Rewritten",
    "Segment",
    "Trackable",
    "format_named",
]
