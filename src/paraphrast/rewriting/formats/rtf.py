r"""Rich Text Format (rtf): edited where its text stands.

RTF switches the looks of characters on and off as the text goes along, across its
groups. So each character is read with all that is in effect on it (`rtf_looks`), and a
stretch that changed is written without the groups that it had: before each run of
characters that look alike stands ``\plain`` and how they look, and after the stretch
the braces that it opened or closed. Footnotes, pictures, objects, and fields but for
links stand between words and are not rewritten. A paragraph with a control word in the
middle of its text that is not known here stays as it is.
"""

import re
from dataclasses import dataclass, field, replace

from paraphrast.errors import ParaphrastError
from paraphrast.rewriting.formats import rtf_words as words
from paraphrast.rewriting.formats.html import Page
from paraphrast.rewriting.formats.marked import Element, Event, Marked, Stretch
from paraphrast.rewriting.formats.rtf_looks import Looks, is_formatting
from paraphrast.rewriting.formats.segments import Document, Rewritten, Role

DEEPEST = 1000  # groups, one in the other
_ENCODING = "latin-1"  # one character per byte; what is written anew is ASCII
_BARE_WORD = re.compile(r"\\[A-Za-z]+(?:-?\d+)?\Z")
_LINK = re.compile(r"\\fldinst\b.{0,200}?\bHYPERLINK\b", re.DOTALL)


@dataclass(frozen=True)
class RtfStretch(Marked):
    """A stretch of RTF; ``tail`` restores the groups that its end must be in.

    ``bare`` says that a control word without a space stands before it.
    """

    tail: str = ""
    bare: bool = False

    def write(self, rewritten: Rewritten) -> str:
        """Return what takes its place in the file."""
        written = super().write(rewritten)
        if rewritten.text == self.as_segment().text:
            return written
        space = " " if self.bare and written[:1] not in ("\\", "{", "}") else ""
        return space + written + self.tail

    def spell(self, event: Event) -> str:
        """Return it as the file spells it, apart from what follows."""
        spelled = super().spell(event)
        return f"{spelled} " if _BARE_WORD.search(spelled) else spelled

    def find_spellings(self) -> dict[str, str]:
        """Return nothing: a spelling may be of another font's encoding."""
        return {}


@dataclass(frozen=True)
class Rtf:
    """The format."""

    def read(self, data: bytes, name: str) -> Document:
        """Read a document, and refuse one whose groups are broken."""
        source = data.decode(_ENCODING)
        if not source.startswith("{\\rtf"):
            raise _broken(name, "it does not begin with {\\rtf")
        return Page(source, _ENCODING, _Reader(source, name).read())


@dataclass(frozen=True)
class _Group:
    """What a group restores when it ends: formatting, and the paragraph's properties.

    Both have words by their keys, in the order in which they were given.
    """

    looks: Looks = field(default_factory=Looks)
    paragraph: dict[str, str] = field(default_factory=dict)
    role: Role = Role.PROSE


@dataclass
class _Reader:
    source: str
    name: str
    found: list[Marked] = field(default_factory=list)
    groups: list[_Group] = field(default_factory=list)  # around this one
    group: _Group = field(default_factory=_Group)
    link: Element | None = None
    link_ends: tuple[int, int] = (0, 0)  # of its text, and of all of it
    elements: dict[frozenset[object], Element] = field(default_factory=dict)
    bytes: list[tuple[int, int, int]] = field(default_factory=list)
    high: tuple[int, int, int] | None = None  # half of a pair of \u

    def __post_init__(self) -> None:
        """Read the tables."""
        self.tables = words.read_tables(self.source)
        self._begin()

    def read(self) -> list[Marked]:
        """Return the running text, in order."""
        position = 0
        while match := words.TOKEN.match(self.source, position):
            position = self._read_token(match)
            if match["brace"] and not self.groups:
                break
        if self.groups:
            raise _broken(self.name, "a group is not closed")
        self._end()
        return self.found

    def _read_token(self, match: re.Match[str]) -> int:
        """Read a token; return where to go on."""
        start, end = match.span()
        if not (match["byte"] or match["char"] or match["word"] == "u"):
            self._flush()
        if match["brace"]:
            return self._open(start) if match[0] == "{" else self._close(end)
        if match["word"]:
            return self._read_word(match)
        if match["byte"]:
            self._add_byte(int(match["byte"], 16), start, end)
        elif match["char"] and ord(match[0]) >= 0x80:
            self._add_byte(ord(match[0]), start, end)
        elif match["char"]:
            self._flush_but(ord(match[0]))
            self._add(match[0], start, end)
        elif match["symbol"]:
            self._read_symbol(match)
        return end

    def _read_symbol(self, match: re.Match[str]) -> None:
        start, end = match.span()
        if match["symbol"] in "\r\n":
            self._end()
        elif char := words.SYMBOLS.get(match["symbol"]):
            self._add(char, start, end)
        elif match["symbol"] in "-|:":
            self.stretch.add("", start, end)
        else:
            self.spoiled.append(start)

    def _read_word(self, match: re.Match[str]) -> int:
        word, number = match["word"], match["number"]
        start, end = match.span()
        if word == "u" and number:
            return self._read_unicode(int(number), start, end)
        if word == "bin":
            return self._leap(end + max(0, int(number or 0)))
        if not match["space"]:
            self.bare.add(end)
        if word in words.BREAKS:
            self._end(is_cell=word.endswith("cell"))
        elif char := words.CHARACTERS.get(word):
            self._add(char, start, end)
        elif word in words.MARKS:
            self.stretch.add("", start, end)
        elif word == "plain":
            self._set_looks(self.group.looks.plain())
        elif is_formatting(word):
            self._set_looks(self.group.looks.add(word, number))
        elif word not in words.IGNORED:
            self._read_other(word, number, start)
        return end

    def _read_other(self, word: str, number: str | None, start: int) -> None:
        """Read a word about paragraphs, or one that is not known."""
        self.spoiled.append(start)
        paragraph = self.group.paragraph
        if word == "pard":
            paragraph = {}
        elif word in ("s", "outlinelevel", "intbl", "ls"):
            paragraph = paragraph | {word: f"\\{word}{number or ''}"}
        self.group = replace(self.group, paragraph=paragraph)

    def _open(self, start: int) -> int:
        """Open a group, or leap over it."""
        if len(self.groups) == DEEPEST:
            raise _broken(self.name, f"more than {DEEPEST:,} nested groups")
        named = words.DESTINATION.match(self.source, start)
        kind = named[2] if named else ""
        if kind == "field" and self.link is None and self._open_link(start):
            return self.link_start
        if named and (named[1] or kind in words.OPAQUE | words.TABLES):
            end = self._leap(words.find_group_end(self.source, start))
            if kind not in words.TABLES:
                self.stretch.add("", start, end)
            return end
        if kind in words.LABELS:
            self._end()
        self.ops.append((start, self._element()))
        self.groups.append(self.group)
        if kind in words.LABELS:
            self.group = replace(self.group, role=Role.LABEL, paragraph={})
        if kind in words.LABELS | words.RESULT and named:
            return named.end()
        return start + 1

    def _close(self, end: int) -> int:
        """Close a group."""
        if self.link and end == self.link_ends[0]:
            self._close_link()
            return self.link_ends[1]
        if not self.groups:
            raise _broken(self.name, "a closing brace has no opening brace")
        if self.group.role is not self.groups[-1].role:
            self._end()
        self.group = self.groups.pop()
        self.ops.append((end - 1, None))
        self._set_looks(self.group.looks)
        return end

    def _open_link(self, start: int) -> bool:
        """Open a field that is a link, if it is one that goes around words alone."""
        end = self._leap(words.find_group_end(self.source, start))
        result = self.source.find("{\\fldrslt", start, end)
        if result < 0 or not _LINK.search(self.source, start, result):
            return False
        result_end = words.find_group_end(self.source, result)
        if not result < result_end < end or _breaks(self.source[result:result_end]):
            return False
        self.link_start = result + len("{\\fldrslt")
        self.link_start += self.source[self.link_start] == " "
        opening = self.source[start : self.link_start]
        self.link = Element(opening, self.source[result_end - 1 : end], link=True)
        self.link_ends = (result_end, end)
        self.groups.append(self.group)
        event = Event("open", start, self.link_start, (self.link,))
        self.stretch.events.append(event)
        self._set_looks(self.group.looks)
        return True

    def _close_link(self) -> None:
        """Close it; a link without text is one mark."""
        self.group, self.link = self.groups.pop(), None
        self._set_looks(self.group.looks)
        events, end = self.stretch.events, self.link_ends[1]
        first = max(i for i, event in enumerate(events) if event.kind == "open")
        if any(event.kind == "unit" for event in events[first:]):
            event = Event("close", self.link_ends[0] - 1, end, self.stretch.stack)
            events.append(event)
        else:
            start = events[first].start
            events[first:] = [Event("anchor", start, end, self.stretch.stack)]

    def _begin(self) -> None:
        self.stretch = Stretch(self.source)
        self.ops: list[tuple[int, Element | None]] = []  # groups that open or close
        self.paragraph = self.group.paragraph
        self.spoiled: list[int] = []  # where something is that is not known
        self.bare: set[int] = set()  # ends of words that no space follows
        self._set_looks(self.group.looks)

    def _end(self, *, is_cell: bool = False) -> None:
        """End the running text; what follows is apart from it."""
        self._flush()
        marked = self.stretch.finish(_escape, self._find_role(is_cell=is_cell))
        if marked and not self._is_spoiled(marked):
            self.found.append(
                RtfStretch(
                    marked.source,
                    marked.events,
                    marked.outer,
                    marked.escape,
                    marked.role,
                    tail=self._restore(marked),
                    bare=marked.span.start in self.bare,
                )
            )
        self._begin()

    def _find_role(self, *, is_cell: bool) -> Role:
        paragraph = self.paragraph
        if paragraph.get("s", "\\s0") in self.tables.headings:
            return Role.HEADING
        if (
            "outlinelevel" in paragraph
            and paragraph["outlinelevel"] < "\\outlinelevel9"
        ):
            return Role.HEADING
        if is_cell or "intbl" in paragraph or "ls" in paragraph:
            return Role.LABEL
        return self.group.role

    def _is_spoiled(self, marked: Marked) -> bool:
        """Say whether a stretch holds what cannot be put together anew."""
        span = marked.span
        if any(span.start < position < span.end for position in self.spoiled):
            return True
        return self.paragraph.get("s", "\\s0") in self.tables.code

    def _restore(self, marked: Marked) -> str:
        """Return the braces that a stretch has more of than their partners."""
        opened: list[Element] = []
        closed = 0
        for position, element in self.ops:
            if not marked.span.start < position < marked.span.end:
                continue
            if element:
                opened.append(element)
            elif opened:
                opened.pop()
            else:
                closed += 1
        if not (closed or opened):
            return ""
        braces = "".join(f"{element.opening}{{" for element in opened)
        return "}" * closed + braces + marked.events[-1].stack[-1].opening

    def _set_looks(self, looks: Looks) -> None:
        self.group = replace(self.group, looks=looks)
        own = self._element()
        self.stretch.stack = (self.link, own) if self.link else (own,)

    def _element(self) -> Element:
        """Return the element that stands for the looks that are in effect."""
        looks = self.group.looks
        key = looks.identity
        if key not in self.elements:
            self.elements[key] = Element(looks.spell(), "", kept=self._is_kept(looks))
        return self.elements[key]

    def _is_kept(self, looks: Looks) -> bool:
        """Say whether text stays: symbols, code, and other languages."""
        language = looks.number("lang") if self.tables.english else ""
        return (
            looks.number("f") in self.tables.kept
            or f"\\cs{looks.number('cs')}" in self.tables.code
            or (language != "" and not words.is_english(language))
        )

    def _add(self, char: str, start: int, end: int) -> None:
        """Add a character; one that does not show is a mark."""
        self.stretch.add("" if self.group.looks.hidden else char, start, end)
        self.paragraph = self.group.paragraph

    def _add_byte(self, byte: int, start: int, end: int) -> None:
        """Add a byte of a character; it may take more than one."""
        self.bytes.append((byte, start, end))
        codec = self.tables.fonts.get(self.group.looks.number("f"))
        data = bytes(own for own, _, _ in self.bytes)
        try:
            char = data.decode(codec or self.tables.codec)
        except UnicodeDecodeError:
            if len(data) > 1:
                self._flush()
            return
        if len(char) == 1:
            self._add(char, self.bytes[0][1], end)
            self.bytes.clear()
        else:
            self._flush()

    def _flush_but(self, byte: int) -> None:
        """Give up bytes that a character of ASCII ends."""
        if self.bytes or self.high:
            self._flush()

    def _flush(self) -> None:
        """Note what was begun and is no character."""
        if self.bytes:
            self.spoiled.append(self.bytes[0][1])
            self.bytes.clear()
        if self.high:
            self.spoiled.append(self.high[1])
            self.high = None

    def _read_unicode(self, code: int, start: int, end: int) -> int:
        """Read a ``\\u`` and what stands in its place where that is not known."""
        end = self._skip(end, int(self.group.looks.number("uc") or 1))
        code &= 0xFFFF
        if self.high and 0xDC00 <= code <= 0xDFFF:
            first, begin, _ = self.high
            self.high = None
            char = chr(0x10000 + ((first - 0xD800) << 10) + code - 0xDC00)
            self._add(char, begin, end)
            return end
        self._flush()
        if 0xD800 <= code <= 0xDBFF:
            self.high = (code, start, end)
        elif 0xDC00 <= code <= 0xDFFF or code < 32:
            self.spoiled.append(start)
        else:
            self._add(chr(code), start, end)
        return end

    def _skip(self, position: int, count: int) -> int:
        """Return the end of as many characters, but for braces."""
        for _ in range(count):
            match = words.TOKEN.match(self.source, position)
            if match is None or match["brace"] or match[0][0] in "\r\n":
                break
            position = match.end()
        return position

    def _leap(self, end: int) -> int:
        if not 0 <= end <= len(self.source):
            raise _broken(
                self.name, "a group or its data extends beyond the end of the file"
            )
        return end


def _breaks(text: str) -> bool:
    """Say whether a link's text has a paragraph's end or another field in it."""
    return bool(re.search(r"\\(?:par|cell|row|line|tab|sect|field|bin\d*)\b", text))


def _escape(char: str) -> str:
    """Return a character as RTF spells it anywhere, whatever ``\\uc`` says."""
    if char in "\\{}":
        return f"\\{char}"
    if char.isascii():
        return char
    units = char.encode("utf-16-le")
    codes = [
        int.from_bytes(units[i : i + 2], "little", signed=True)
        for i in range(0, len(units), 2)
    ]
    return "{\\uc1" + "".join(f"\\u{code}?" for code in codes) + "}"


def _broken(name: str, why: str) -> ParaphrastError:
    return ParaphrastError(
        f"{name}: broken ({why}). Open it in its editor and save it again."
    )


format = Rtf()
