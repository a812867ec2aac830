"""Find the running text of a file with tags, by position: HTML, XHTML, OpenDocument.

Nothing is parsed into a tree and written again: the tags of a file are found with their
places, whatever is in it, and a `Vocabulary` says what each element is. An element that
it does not name is a block, and ends the running text before it.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from paraphrast.rewriting.formats.marked import Element, Marked, Stretch
from paraphrast.rewriting.formats.segments import Role
from paraphrast.text.documents import ends_sentence, is_short_line

_TOKEN = re.compile(
    r"""  <!--(?:-?>|.*?(?:--!?>|\Z))
        | <!\[CDATA\[.*?(?:\]\]>|\Z)
        | <[!?][^>]*+(?:>|\Z)
        | <(?P<close>/?)(?P<name>[A-Za-z][^\s/>]*+)
          (?P<attributes>(?:[^"'>]|"[^"]*"|'[^']*')*+)>
        | </?[A-Za-z][^>]*+(?:>|\Z)
    """,
    re.VERBOSE | re.DOTALL,
)
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});")
_WORDS = re.compile(r"\s*+(?:<(?!br\b)[a-z][^<>]*+>\s*+)*+(\w)", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f]+")
_PIECE = re.compile(rf"(?P<space>{_SPACE.pattern})|(?P<reference>{_REFERENCE.pattern})")
_ATTRIBUTE = re.compile(
    r"""([^\s"'>/=]+)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?"""
)
_STYLE = re.compile(r"""\bstyle-name\s*=\s*["']([^"']*)""")
_BOLD = re.compile(r"<(?:b|strong)\b", re.IGNORECASE)
# What authors and programs write for English, and where they did not say.
_ENGLISH = frozenset(("en", "eng", "", "und", "c", "posix"))
_MARKING = frozenset(("notranslate", "math"))  # classes
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\xa0": "&#160;"}


@dataclass(frozen=True)
class Vocabulary:
    """What the elements of a kind of file are; names are in lower case.

    ``inline`` ones go around words, and what is in a ``kept`` one stays letter for
    letter. ``opaque`` ones are pictures and the like: they stand between words, and
    nothing in them is read. ``skipped`` ones are blocks that nothing is read of, and a
    ``raw`` one has no tags in it but its own end. ``void`` ones have no end, and
    ``unclosed`` ones may go without. ``breaks`` break a line. What is in a style of
    ``kept_styles`` stays, and a block in one of ``heading_styles`` is a heading: they
    are the values of an attribute whose name ends in ``style-name``.
    """

    inline: frozenset[str]
    kept: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()
    opaque: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()
    raw: frozenset[str] = frozenset()
    void: frozenset[str] = frozenset()
    unclosed: frozenset[str] = frozenset()
    breaks: frozenset[str] = frozenset()
    roles: Mapping[str, Role] = field(default_factory=dict)
    kept_styles: frozenset[str] = frozenset()
    heading_styles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Tag:
    start: int
    end: int
    name: str
    attributes: str
    closes: bool
    alone: bool  # a void element, or one that ends as it begins


def find_stretches(source: str, vocabulary: Vocabulary) -> list[Marked]:
    """Return the running text of a file, in order."""
    reader = _Reader(source, vocabulary)
    position = 0
    while match := _TOKEN.search(source, position):
        reader.read_text(position, match.start())
        position = reader.read_token(match)
    reader.read_text(position, len(source))
    reader.end_stretch()
    return reader.found


def names(words: str) -> frozenset[str]:
    """Return the names of elements that stand in a line."""
    return frozenset(words.split())


def escape(char: str) -> str:
    """Return a character as a file with tags spells it."""
    return ESCAPES.get(char, char)


def read_attributes(text: str) -> dict[str, str]:
    """Return the attributes of a tag; names are in lower case."""
    return {
        match[1].lower(): html.unescape(match[2] or match[3] or match[4] or "")
        for match in _ATTRIBUTE.finditer(text)
    }


@dataclass
class _Reader:
    source: str
    vocabulary: Vocabulary
    found: list[Marked] = field(default_factory=list)
    blocks: list[tuple[str, Role | None]] = field(default_factory=list)  # that are open

    def __post_init__(self) -> None:
        self.stretch = Stretch(self.source)

    def read_text(self, start: int, end: int) -> None:
        """Read text between two tags."""
        position = start
        for match in _PIECE.finditer(self.source, start, end):
            self._add_characters(position, match.start())
            position = match.end()
            if match["space"]:
                self._add_space(*match.span())
                continue
            char = html.unescape(match[0])
            if len(char) == 1 and char not in "\r\n":
                self.stretch.add(char, *match.span())
            else:
                self._add_characters(*match.span())
        self._add_characters(position, end)

    def read_token(self, match: re.Match[str]) -> int:
        """Read a tag or a comment; return where to go on."""
        name = (match["name"] or "").lower()
        if not name:
            self.stretch.add("", *match.span())
            return match.end()
        attributes = match["attributes"]
        alone = attributes.endswith("/") or name in self.vocabulary.void
        closes = bool(match["close"])
        tag = _Tag(*match.span(), name, attributes, closes, alone)
        return self._read_tag(tag)

    def end_stretch(self) -> None:
        """End the running text here; what follows is apart from it."""
        role = next((role for _, role in reversed(self.blocks) if role), Role.PROSE)
        if role is Role.PROSE and self._is_bold_line():
            role = Role.HEADING
        if marked := self.stretch.finish(escape, role):
            self.found.append(marked)
        self.stretch = Stretch(self.source, self.stretch.stack)

    def _is_bold_line(self) -> bool:
        """Say whether the running text is a short line in bold, like a heading."""
        events = self.stretch.events
        if not is_short_line("".join(event.char for event in events)):
            return False
        return all(
            any(_BOLD.match(element.opening) for element in event.stack)
            for event in events
            if event.char.strip()
        )

    def _read_tag(self, tag: _Tag) -> int:
        vocabulary = self.vocabulary
        if not tag.closes and not tag.alone and self._is_left_alone(tag):
            return self._skip(tag)
        if tag.name in vocabulary.inline:
            self._read_inline(tag)
        elif tag.name in vocabulary.opaque:
            self.stretch.add("", tag.start, tag.end)
        elif tag.name in vocabulary.breaks and self._goes_on(tag):
            self.stretch.add(" ", tag.start, tag.end, separator=True)
        else:
            self._read_block(tag)
        return tag.end

    def _goes_on(self, tag: _Tag) -> bool:
        """Say whether a line break is inside a sentence: before a small letter."""
        before = "".join(event.char for event in self.stretch.events[-9:]).rstrip()
        after = _WORDS.match(self.source, tag.end)
        small = after is not None and after[1].islower()
        return bool(before) and small and not ends_sentence(before)

    def _is_left_alone(self, tag: _Tag) -> bool:
        """Say whether nothing is read of an element; an inline one is read and kept."""
        vocabulary = self.vocabulary
        if tag.name in vocabulary.opaque | vocabulary.skipped | vocabulary.raw:
            return True
        return tag.name not in vocabulary.inline and self._is_marked(tag)

    def _is_marked(self, tag: _Tag) -> bool:
        """Say whether an element says that nothing in it is to be touched."""
        styled = _find_style(tag.attributes) in self.vocabulary.kept_styles
        return styled or _is_marked(tag.attributes)

    def _skip(self, tag: _Tag) -> int:
        end = self._find_end(tag)
        if tag.name in self.vocabulary.opaque:
            self.stretch.add("", tag.start, end)
        else:
            self.end_stretch()
        return end

    def _find_end(self, tag: _Tag) -> int:
        """Return the end of an element, or of the file."""
        depth, position = 1, tag.end
        same = re.compile(
            rf"<(/?){re.escape(tag.name)}(?=[\s/>])(?:[^\"'>]|\"[^\"]*\"|'[^']*')*+>",
            re.IGNORECASE,
        )
        while match := same.search(self.source, position):
            position = match.end()
            if match[1]:
                depth -= 1
            elif tag.name not in self.vocabulary.raw and match[0][-2] != "/":
                depth += 1
            if depth == 0:
                return position
        return len(self.source)

    def _read_inline(self, tag: _Tag) -> None:
        vocabulary, text = self.vocabulary, self.source[tag.start : tag.end]
        if tag.closes:
            self.stretch.close(f"</{tag.name}>", tag.start, tag.end)
        elif tag.alone:
            self.stretch.add("", tag.start, tag.end)
        else:
            kept = tag.name in vocabulary.kept or self._is_marked(tag)
            name = text[1 : 1 + len(tag.name)]
            element = Element(text, f"</{name}>", kept, tag.name in vocabulary.links)
            self.stretch.open(element, tag.start, tag.end)

    def _read_block(self, tag: _Tag) -> None:
        self.end_stretch()
        known, names = self.vocabulary, [name for name, _ in self.blocks]
        if tag.closes and tag.name in names:
            while self.blocks.pop()[0] != tag.name:
                pass
        elif not (tag.closes or tag.alone):
            # One that need not be closed ends where the next of its kind begins.
            if names[-1:] == [tag.name] and tag.name in known.unclosed:
                self.blocks.pop()
            is_heading = _find_style(tag.attributes) in known.heading_styles
            role = Role.HEADING if is_heading else known.roles.get(tag.name)
            self.blocks.append((tag.name, role))

    def _add_characters(self, start: int, end: int) -> None:
        for index in range(start, end):
            self.stretch.add(self.source[index], index, index + 1)

    def _add_space(self, start: int, end: int) -> None:
        """Add white space: one space, or nothing after another one."""
        self.stretch.add("" if self.stretch.last == " " else " ", start, end)


def _find_style(attributes: str) -> str | None:
    style = _STYLE.search(attributes)
    return style[1] if style else None


def _is_marked(attributes: str) -> bool:
    """Say whether an element is not to be touched, a formula, or not in English."""
    if not any(word in attributes.lower() for word in ("translat", "lang", "math")):
        return False
    values = read_attributes(attributes)
    language = values.get("lang", values.get("xml:lang", "en")).lower()
    return (
        values.get("translate", "").lower() == "no"
        or not _MARKING.isdisjoint(values.get("class", "").lower().split())
        or re.split("[-_.]", language)[0] not in _ENGLISH
    )
