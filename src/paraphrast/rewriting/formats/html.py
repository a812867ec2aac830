"""HTML pages, edited where their text stands."""

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.errors import ParaphrastError
from paraphrast.rewriting.formats.marked import Marked, edit
from paraphrast.rewriting.formats.markup import Vocabulary, find_stretches, names
from paraphrast.rewriting.formats.segments import Document, Rewritten, Role, Segment

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "title", "caption", "figcaption")
_LABELS = ("li", "td", "th", "dt", "dd", "summary", "legend", "button", "nav")
HTML = Vocabulary(
    inline=names(
        "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label "
        "mark nobr q s samp small span strike strong sub time tt u var"
    ),
    kept=frozenset(("code", "kbd", "samp", "tt", "var", "bdo", "del")),
    links=frozenset(("a",)),
    opaque=names(
        "audio canvas embed iframe img input map math meter object picture progress "
        "ruby select sup svg video wbr"
    ),
    skipped=frozenset(("pre", "template", "noscript", "address", "listing")),
    raw=frozenset(
        ("script", "style", "textarea", "xmp", "noembed", "noframes", "plaintext")
    ),
    void=names("area base br col embed hr img input link meta param source track wbr"),
    unclosed=frozenset(("p", "li", "dt", "dd", "tr", "td", "th", "option")),
    breaks=frozenset(("br",)),
    roles=dict.fromkeys(_HEADINGS, Role.HEADING) | dict.fromkeys(_LABELS, Role.LABEL),
)
_CHARSET = re.compile(
    rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]+encoding=["']([\w.:-]+)""",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Page:
    """A page that was read."""

    source: str
    encoding: str
    stretches: Sequence[Marked]
    markdown: bool = False

    @property
    def segments(self) -> list[Segment]:
        """Return its text in reading order."""
        return [stretch.as_segment() for stretch in self.stretches]

    def write(self, rewritten: Sequence[Rewritten]) -> bytes:
        """Return the page; letters that its encoding lacks become references."""
        text = edit(self.source, self.stretches, rewritten)
        return text.encode(self.encoding, errors="xmlcharrefreplace")


@dataclass(frozen=True)
class Html:
    """The format."""

    vocabulary: Vocabulary = HTML

    def read(self, data: bytes, name: str) -> Document:
        """Read a page in the encoding that it names."""
        source, encoding = decode(data, name)
        return Page(source, encoding, find_stretches(source, self.vocabulary))

    def read_text(self, source: str) -> Page:
        """Read a page, or a part of one, that is not in bytes yet."""
        return Page(source, "utf-8", find_stretches(source, self.vocabulary))


def decode(
    data: bytes, name: str, charset: re.Pattern[bytes] = _CHARSET
) -> tuple[str, str]:
    """Return the text of a file and its encoding, which gives the same bytes back."""
    declared = charset.search(data[:4096])
    named = next(filter(None, declared.groups()), b"") if declared else b""
    encoding = named.decode("ascii") or "utf-8"
    try:
        encoding = codecs.lookup(encoding).name
        text = data.decode(encoding)
        if text.encode(encoding) == data:
            return text, encoding
    except (LookupError, UnicodeError):
        pass
    raise ParaphrastError(
        f"{name}: not valid {encoding}{', although it declares so' if named else ''}. "
        "Save it as UTF-8."
    )


format = Html()
