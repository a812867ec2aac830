"""Cut a document into prose, which may be rewritten, and all the rest, which stays.

`parse` gives pieces that join to the very text they came from. In plain text every
line is a piece of prose between its indentation, bullet or quotation mark and its
trailing white space; the header lines, the greeting and the sign-off of a mail are not
prose. In Markdown a paragraph is one piece, its soft line breaks included, and front
matter, code, HTML, tables, definitions and the marks of headings, lists and quotations
are not prose, nor are headings and list items that are no sentences, unless they are
asked for. Only ``"\\n"`` ends a line.
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
_UNDERLINE = re.compile(r" {0,3}(?:=++|-++)\s*+")
_SENTENCE_END = re.compile(r"[.!?…:;][\"'”’)\]*_`]*\Z")

_NAME = r"[A-Z](?:['’][A-Z])?[a-z]+(?:[-'’][A-Z]?[a-z]+)*"
_NAMES = rf"{_NAME}(?:[ ]{_NAME}){{0,2}}"
_HEADER = (
    r"(?i:from|to|cc|bcc|subject|date|sent|re|fwd?|reply-to|attachments?):"
    r"(?:\s.*)?"
)
_GREETING = (
    r"(?i:dear|hi|hello|hey|good[ ](?:morning|afternoon|evening)|greetings)"
    r"(?:[ ][^\s,:.!?]+\.?){0,5}[,:]"
    r"|(?i:to[ ]whom[ ]it[ ]may[ ]concern)[,:]?"
)
_SIGN_OFF = (
    r"(?i:(?:(?:with[ ])?(?:kind|best|warm(?:est)?|many)[ ])?(?:regards|wishes|thanks)"
    r"|yours(?:[ ](?:sincerely|faithfully|truly|ever))?|all[ ]the[ ]best|best|love"
    r"|(?:very[ ])?(?:sincerely|respectfully|truly|faithfully)(?:[ ]yours)?|cheers"
    r"|thank[ ]you|thanks[ ](?:again|a[ ]lot|in[ ]advance)|take[ ]care|ciao)"
    rf",(?:[ ]{_NAMES})?"
)
_SIGNATURE = (
    r"(?!(?:Thank|Yes|No|Oh|Well|Good|Of)\b)"
    rf"{_NAME}(?:[ ][A-Z]\.)?(?:[ ]{_NAME}){{1,2}}"
)
_MAIL = re.compile(rf"(?:{_HEADER}|{_GREETING}|{_SIGN_OFF}|{_SIGNATURE})", re.VERBOSE)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a document; only prose may be rewritten."""

    text: str
    prose: bool


def parse(text: str, *, markdown: bool, headings: bool = False) -> list[Piece]:
    """Return the pieces of a document; joined, they are the document.

    With ``headings``, headings and list items that are no sentences are prose too.
    """
    lines = _lines(text)
    pieces = _markdown(lines, headings=headings) if markdown else _plain(lines)
    return list(_join_pieces(pieces))


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def _join_pieces(pieces: Iterator[Piece]) -> Iterator[Piece]:
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
        if _MAIL.fullmatch(line.strip()):
            yield Piece(line, prose=False)
        else:
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


def _markdown(lines: list[str], *, headings: bool) -> Iterator[Piece]:
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
            text = "".join(lines[index:end])
            label = _is_heading(lines, end, prefix) or _is_label(text, item)
            if label and not headings:
                yield Piece(text, prose=False)
            else:
                yield from _prose(text, prefix)
        index = end


def _is_heading(lines: list[str], end: int, prefix: re.Match[str]) -> bool:
    """Say whether the paragraph that ends at ``end`` is a heading of either form."""
    if prefix["heading"]:
        return True
    below = lines[end] if end < len(lines) else ""
    return not prefix["marks"] and bool(_UNDERLINE.fullmatch(below))


def _is_label(text: str, item: str) -> bool:
    """Say whether a list item is no sentence: nothing ends it."""
    return bool(item) and not _SENTENCE_END.search(text.rstrip())


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
