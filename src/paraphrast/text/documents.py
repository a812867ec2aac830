"""Cut a document into prose, which may be rewritten, and all the rest, which stays.

`parse` gives pieces that join to the very text they came from. In plain text every
line is a piece of prose between its indentation, bullet or quotation mark and its
trailing white space. In Markdown a paragraph is one piece, its soft line breaks
included, and front matter, code, HTML, tables, definitions and the marks of
headings, lists and quotations are not prose. Only ``"\\n"`` ends a line.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_BULLET = r"(?:[-*+•‣◦–—·]|\(?(?:\d{1,3}|[a-zA-Z])[.)])[^\S\n]+(?:\[[ xX]\][^\S\n]+)?"
_PLAIN = re.compile(rf"\s*+(?:>[\s>]*+)?(?:{_BULLET})?\s*+")

_ITEM = r"(?:[-*+]|\d{1,9}[.)])(?:[^\S\n]++(?:\[[ xX]\][^\S\n]++)?|(?=\r?\n|\Z))"
_PREFIX = re.compile(
    rf"""(?P<indent>[^\S\n]*+)
         (?P<marks>(?:>[^\S\n]*+|{_ITEM})*+)
         (?P<heading>\#{{1,6}}(?:[^\S\n]++|(?=\n|\Z)))?
         (?P<note>\[\^[^\]\s]++\]:)?
         [^\S\n]*+
    """,
    re.VERBOSE,
)
_FENCE = re.compile(
    rf"[^\S\n]*+(?:>[^\S\n]*+|{_ITEM})*+(?P<fence>`{{3,}}+(?=[^`\n]*+$)|~{{3,}}+)"
)
_FRONT = re.compile(r"(?P<mark>---|\+\+\+)\s*+\Z")
_RULE = re.compile(r"[\s>]*+(?:(?:[-*_]\s*+){3,}+|=++\s*+|-++\s*+)")
_TABLE_RULE = re.compile(r"[\s>]*+\|?(?:\s*+:?-++:?\s*+\|)++(?:\s*+:?-++:?)?\s*+")
_HTML = re.compile(
    r"[^\S\n]*+<(?:(?P<open>!--|pre\b|script\b|style\b|textarea\b)|[!?]|"
    r"/?(?:address|article|aside|blockquote|body|center|details|dialog|div|dl|fieldset|"
    r"figure|footer|form|h[1-6]|head|header|hr|html|iframe|li|link|main|menu|meta|nav|"
    r"ol|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul|video)(?![\w-]))",
    re.IGNORECASE,
)
_DEFINITION = re.compile(r"[^\S\n]{0,3}\[(?!\^)[^\]\n]++\]:[^\S\n]*+\S")
_CODE_INDENT = re.compile(r" {4}| {0,3}\t")
_HARD_BREAK = re.compile(r".*(?: {2}|\\)\r?\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a document; only prose may be rewritten."""

    text: str
    prose: bool


def parse(text: str, *, markdown: bool) -> list[Piece]:
    """Return the pieces of a document; joined, they are the document."""
    cut = _markdown if markdown else _plain
    return list(_joined(cut(_lines(text))))


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def _joined(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Drop empty pieces and join neighbours that are not prose."""
    rest: list[str] = []
    for piece in pieces:
        if not piece.prose:
            rest.append(piece.text)
        elif piece.text:
            if between := "".join(rest):
                yield Piece(between, prose=False)
            rest.clear()
            yield piece
    if between := "".join(rest):
        yield Piece(between, prose=False)


def _plain(lines: list[str]) -> Iterator[Piece]:
    for line in lines:
        yield from _around(line, start=_end(_PLAIN, line), end=len(line.rstrip()))


def _around(text: str, *, start: int, end: int) -> Iterator[Piece]:
    """Yield ``text[start:end]`` as prose, and what is on both sides of it."""
    end = max(start, end)
    yield Piece(text[:start], prose=False)
    yield Piece(text[start:end], prose=True)
    yield Piece(text[end:], prose=False)


def _end(pattern: re.Pattern[str], line: str) -> int:
    match = pattern.match(line)
    return match.end() if match else 0


def _markdown(lines: list[str]) -> Iterator[Piece]:
    index = _front_matter(lines)
    yield Piece("".join(lines[:index]), prose=False)
    in_list = False
    while index < len(lines):
        end = _verbatim(lines, index, in_list=in_list)
        if end > index:
            yield Piece("".join(lines[index:end]), prose=False)
        else:
            prefix = _prefix(lines[index])
            item = prefix["marks"].strip("> \t")
            in_list = bool(item or (in_list and prefix["indent"]))
            end = _paragraph(lines, index)
            yield from _prose("".join(lines[index:end]), prefix)
        index = end


def _prefix(line: str) -> re.Match[str]:
    return next(_PREFIX.finditer(line))  # every line has one, if an empty one


def _prose(text: str, prefix: re.Match[str]) -> Iterator[Piece]:
    """Yield a paragraph or heading without the marks before and after it."""
    bare = text.rstrip()
    if prefix["heading"]:
        without = bare.rstrip("#")
        bare = without.rstrip() if without[-1:].isspace() else bare
    elif bare.endswith("\\") and len(bare) < len(text):
        bare = bare[:-1].rstrip()
    yield from _around(text, start=prefix.end(), end=len(bare))


def _front_matter(lines: list[str]) -> int:
    """Return the line after the front matter, or 0 where there is none."""
    begin = _FRONT.match(lines[0]) if lines else None
    if begin:
        for index in range(1, len(lines)):
            if lines[index].rstrip() == begin["mark"]:
                return index + 1
    return 0


def _verbatim(lines: list[str], index: int, *, in_list: bool) -> int:
    """Return the end of the block that is not prose and begins at ``index``."""
    line = lines[index]
    if not line.strip() or _RULE.fullmatch(line) or _DEFINITION.match(line):
        return index + 1
    if fence := _FENCE.match(line):
        return _fenced(lines, index, fence["fence"])
    if _CODE_INDENT.match(line) and not in_list:
        return _while(lines, index, lambda other: bool(_CODE_INDENT.match(other)))
    if html := _HTML.match(line):
        return _html(lines, index, html["open"])
    if _is_table(lines, index):
        return _while(lines, index, lambda other: "|" in other)
    return index


def _paragraph(lines: list[str], index: int) -> int:
    """Return the end of the paragraph, heading or quoted line at ``index``."""
    first = _prefix(lines[index])
    end = index + 1
    if first["heading"] or ">" in first["marks"]:
        return end
    while end < len(lines) and not _HARD_BREAK.fullmatch(lines[end - 1]):
        prefix = _prefix(lines[end])
        begins = prefix["marks"] or prefix["heading"] or prefix["note"]
        # Within a paragraph an indented line is no code but goes on.
        if begins or _verbatim(lines, end, in_list=True) > end:
            break
        end += 1
    return end


def _fenced(lines: list[str], index: int, fence: str) -> int:
    for end in range(index + 1, len(lines)):
        closing = _FENCE.match(lines[end])
        if closing and closing["fence"].startswith(fence):
            return end + 1
    return len(lines)


def _html(lines: list[str], index: int, opened: str | None) -> int:
    if opened is None:
        return _while(lines, index, lambda other: bool(other.strip()))
    closing = "-->" if opened == "!--" else f"</{opened}>".lower()
    for end in range(index, len(lines)):
        if closing in lines[end].lower():
            return end + 1
    return len(lines)


def _is_table(lines: list[str], index: int) -> bool:
    following = lines[index + 1] if index + 1 < len(lines) else ""
    return "|" in lines[index] and bool(_TABLE_RULE.fullmatch(following))


def _while(lines: list[str], index: int, belongs: Callable[[str], bool]) -> int:
    end = index + 1
    while end < len(lines) and belongs(lines[end]):
        end += 1
    return end
