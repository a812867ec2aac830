"""Split a document into prose, which may be rewritten, and the rest, which stays.

`parse` returns pieces that join to exactly the original text. In plain text, every
line is a piece of prose between its indentation, bullet or quotation mark and its
trailing white space. The header lines, the greeting and the sign-off of an email are
not prose. In Markdown, a paragraph is one piece, including its soft line breaks; front
matter, code, HTML, tables, definitions and the marks of headings, lists and quotations
are not prose, nor are headings and list items that are not sentences, unless requested.
The title of a document is a heading, too: its first line, if that is not a clause.
Only ``"\\n"`` ends a line.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from paraphrast.text.markdown import find_marks
from paraphrast.text.word_lists import read_rows

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
_LONE_TAG = re.compile(r" {0,3}</?[A-Za-z][^<>\n]*>\s*")
_DEFINITION = re.compile(r"[^\S\n]{0,3}\[(?!\^)[^\]\n]++\]:[^\S\n]*+\S")
_CODE_INDENT = re.compile(r" {4}| {0,3}\t")
_HARD_BREAK = re.compile(r".*(?: {2}|\\)\r?\n", re.DOTALL)
_UNDERLINE = re.compile(r" {0,3}(?:=++|-++)\s*+")
_SENTENCE_END = re.compile(r"[.!?…:;][\"'”’)\]*_`]*\Z")
_ATTRIBUTION = re.compile(r"[—–][^\S\n]")

# Lines of plain text that are not sentences: "Agenda:", "Total: $12"; and, alone
# between blank lines, "The House on the Hill".
_LABEL = re.compile(
    r"[A-Z][\w'’-]*+(?:[ ][\w'’-]++){0,2}:"
    r"(?:(?=.*\d)(?:[ ]++(?:[^a-z\s]\S*+|to|at|of|and|by))++(?<![?!]))?"
)
_TITLE = re.compile(
    r"(?!.*[.!?…:;,][\"'”’)]*\Z)[^a-z\s]\S*+(?:[ ](?:[^a-z\s]\S*+|[a-z]{1,4})){0,9}"
)
# What a title has none of, beside the words of clause_words.txt: contractions, the end
# of a sentence.
_CLAUSE = re.compile(r"\w['’]\w|[!?;]|\.\s")
_WORD = re.compile(r"[^\W\d_]+")
_INFINITIVE = re.compile(r"\bto \w+", re.IGNORECASE)
_LONGEST_TITLE = 12  # words
_BOLD_LINE = re.compile(r"(?P<mark>\*\*|__)(?P<text>[^*_\n]+)(?P=mark)")
_LINE = re.compile(r"={3,}|-{3,}|_{3,}|~{3,}|\*{3,}")

_NAME = r"[A-Z](?:['’][A-Z])?[a-z]+(?:[-'’][A-Z]?[a-z]+)*"
_NAMES = rf"{_NAME}(?:[ ]{_NAME}){{0,2}}"
# Lines that belong to an email wherever they stand.
_HEADER = (
    r"(?i:from|to|cc|bcc|subject|date|sent|re|fwd?|reply-to|attachments?):"
    r"(?:\s.*)?"
)
_GREETING_WORDS = (
    r"(?i:dear|hi|hello|hey|good[ ](?:morning|afternoon|evening|day)|greetings)"
    r"(?:[ ][^\s,:.!?]+\.?){0,5}"
)
_GREETING = rf"{_GREETING_WORDS}[,:]|(?i:to[ ]whom[ ]it[ ]may[ ]concern)[,:]?"
_CLOSING = (
    r"(?i:(?:(?:with[ ])?(?:my[ ])?(?:kind(?:est)?|best|warm(?:est)?|many)[ ])?"
    r"(?:regards|wishes|thanks(?:[ ](?:again|a[ ]lot|so[ ]much|in[ ]advance))?)"
    r"|yours(?:[ ](?:sincerely|faithfully|truly|ever))?|all[ ]the[ ]best|best|love"
    r"|(?:very[ ])?(?:sincerely|respectfully|truly|faithfully)(?:[ ]yours)?|cheers"
    r"|thank[ ]you(?:[ ](?:so|very)[ ]much)?"
    r"|take[ ]care|ciao|thx|xoxo|see[ ]you(?:[ ]soon)?|talk[ ]soon)"
)
_SIGN_OFF = rf"{_CLOSING},(?:[ ]{_NAMES})?"
_SIGNATURE = (
    r"(?!(?:Thank|Yes|No|Oh|Well|Good|Of)\b)"
    rf"{_NAME}(?:[ ][A-Z]\.)?(?:[ ]{_NAME}){{1,2}}"
)
_DEVICE = r"Sent[ ](?:from|via|with)[ ](?:my[ ])?.{2,40}|Get[ ]Outlook[ ]for[ ]\w+"
_QUOTED = r"On[ ].{6,120}[ ]wrote:|-{3,}[^-]+-{3,}"
_MAIL = re.compile(
    rf"{_HEADER}|{_GREETING}|{_SIGN_OFF}|{_SIGNATURE}|{_DEVICE}|{_QUOTED}"
)
# What belongs to an email only next to its frame: a greeting without its comma, a
# closing without one, the name below it, and the position of this person.
_GREETING_LINE = re.compile(rf"{_GREETING_WORDS}[ ]?[!–-]?")
_CLOSING_LINE = re.compile(rf"{_CLOSING}[,!.]?(?:[ ]{_NAMES})?")
_NAMED_CLOSING = re.compile(rf"{_CLOSING},\s{_NAMES}")
_SIGNER_WORD = r"(?:[A-Z]\w*+(?:[-'’]\w++)*+\.?|de|la|van|von|der|and|&|of|at|the)"
_SIGNER = re.compile(
    rf"[-–—~]?[ ]?(?:{_SIGNER_WORD}(?:[ ]{_SIGNER_WORD}){{0,4}}|[a-z]{{1,12}})"
    r"(?:,[ ][A-Z][\w.]++)*(?:[ ]\([^()]*\))?(?:[ ]x{1,3})?[.!]?"
)
_ROLE = re.compile(
    r"(?!P\.?[ ]?S\b)(?:[^a-z\s]|www\.|\w++@)(?:\S*[ ]){0,7}(?:\S*[^\s.!?]|[A-Z]\w*\.)"
)
_LONGEST_SIGNATURE = 6  # lines


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a document; only prose may be rewritten."""

    text: str
    prose: bool


def parse(text: str, *, markdown: bool, headings: bool = False) -> list[Piece]:
    """Return the pieces of a document; joined, they are the document.

    With ``headings``, headings and list items that are not sentences are prose too.
    """
    lines = _lines(text)
    cut = _markdown if markdown else _plain
    return list(_join_pieces(cut(lines, headings=headings)))


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


def mark_fixed_lines(
    lines: Iterable[str], *, headings: bool = False
) -> Iterator[tuple[str, bool]]:
    """Yield each line of plain text, and whether it stays: an email's frame, a heading.

    The frame is the header, greeting, closing and signature of an email, quoted emails
    ("> ") included. One line is read ahead. With ``headings``, headings and labels do
    not stay.
    """
    mail = _Mail()
    waiting = iter(lines)
    line, above, begun = next(waiting, None), "", False
    while line is not None:
        following = next(waiting, None)
        bare = _strip_marks(line.removeprefix("\ufeff")).rstrip("\\")
        below = None if following is None else _strip_marks(following)
        stays = mail.has_line(bare, below)
        if not stays and not headings:
            stays = bool(_LABEL.fullmatch(bare)) or _is_title(above, bare, below)
            stays = stays or (not begun and below == "" and _is_first_title(bare))
        yield line, stays
        line, above, begun = following, bare, begun or bool(bare)


def _strip_marks(line: str) -> str:
    """Return a line without surrounding white space and marks of a quoted email."""
    return line.strip().lstrip("> ")


@dataclass
class _Mail:
    """The position in an email, updated line by line."""

    head: bool = True  # no text so far
    signature: int = 0  # the number of lines it may still have
    form: re.Pattern[str] = _SIGNER  # the pattern of its next line

    def has_line(self, bare: str, below: str | None) -> bool:
        """Return whether a line belongs to the frame; ``below`` of the last is None."""
        frame = bool(bare and _MAIL.fullmatch(bare))
        signed = below is not None and bool(_SIGNER.fullmatch(below))
        if bare == "--" or (_CLOSING_LINE.fullmatch(bare) and (frame or signed)):
            frame, self.signature = True, _LONGEST_SIGNATURE
            self.form = _ROLE if bare == "--" else _SIGNER
        elif self.signature:
            self._follow(bare, frame)
            frame = frame or bool(bare and self.signature)
        elif self.head and below == "":
            frame = frame or bool(_GREETING_LINE.fullmatch(bare))
        self.head = self.head and (frame or not bare)
        return frame

    def _follow(self, bare: str, frame: bool) -> None:
        """Continue a signature, or end it."""
        # A blank line may follow a closing, but not occur within a signature.
        if bare and (frame or self.form.fullmatch(bare)):
            self.signature, self.form = self.signature - 1, _ROLE
        elif bare or self.signature < _LONGEST_SIGNATURE:
            self.signature = 0


def _is_title(above: str, bare: str, below: str | None) -> bool:
    """Return whether a line is a heading, judged by the lines above and below it."""
    if _LINE.fullmatch(bare) or _LINE.fullmatch(below or ""):
        return bool(bare)
    return not above and below == "" and bool(_TITLE.fullmatch(bare))


def is_short_line(text: str) -> bool:
    """Return whether a text may be a heading if it looks like one, in bold type.

    It has few words, begins with a capital or a number, and has no final mark.
    """
    bare = text.strip()
    begins = bare[:1].isupper() or bare[:1].isdigit()
    ends = ends_sentence(bare) or bare.endswith(",")
    return begins and not ends and len(bare.split()) <= _LONGEST_TITLE


def _is_first_title(bare: str) -> bool:
    """Return whether the first line of a document is no clause but its title."""
    if not is_short_line(bare) or _CLAUSE.search(bare):
        return False
    words = _WORD.findall(_INFINITIVE.sub("", bare).lower())
    return bool(words) and _clause_words().isdisjoint(words)


@lru_cache(maxsize=1)
def _clause_words() -> frozenset[str]:
    rows = read_rows("paraphrast.text", "clause_words.txt")
    return frozenset(word for (line,) in rows for word in line.split())


def is_sign_off(text: str) -> bool:
    """Return whether a text is a sign-off such as "Best regards, Anna"."""
    return bool(_NAMED_CLOSING.fullmatch(text))


def _plain(lines: list[str], *, headings: bool) -> Iterator[Piece]:
    for line, stays in mark_fixed_lines(lines, headings=headings):
        start = _end(_PLAIN, line)
        label = not headings and _is_label(line[start:], line[:start].strip("> \t"))
        if stays or label:
            yield Piece(line, prose=False)
        else:
            yield from _around(line, start=start, end=len(line.rstrip()))


def _around(text: str, *, start: int, end: int) -> Iterator[Piece]:
    """Yield ``text[start:end]`` as prose, and the text on both sides of it."""
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
    frame = _find_frame(lines)
    in_list = begun = False
    while index < len(lines):
        end = _verbatim(lines, index, frame, in_list=in_list)
        if end == index:
            end = _unread(lines, index)
        if end > index:
            yield Piece("".join(lines[index:end]), prose=False)
        else:
            prefix = _prefix(lines[index])
            item = prefix["marks"].strip("> \t")
            in_list = bool(item or (in_list and prefix["indent"]))
            end = _paragraph(lines, index, frame)
            text = "".join(lines[index:end])
            bare = text[prefix.end() :]
            label = _is_heading(lines, end, prefix) or _is_label(bare, item)
            alone = not item and "\n" not in bare.rstrip()
            label = label or (alone and _is_bold_line(bare))
            if alone and not begun and end < len(lines):
                label = label or _is_first_title(bare)
            begun = True
            if label and not headings:
                yield Piece(text, prose=False)
            else:
                yield from _prose(text, prefix)
        index = end


def _find_frame(lines: list[str]) -> frozenset[int]:
    """Return the indices of the lines that belong to an email's frame.

    In a paragraph of several lines, only a closing with its signature does.
    """
    frame: set[int] = set()
    marked = [stays for _, stays in mark_fixed_lines(lines, headings=True)] + [False]
    for index in range(len(lines)):
        begins = index == 0 or index - 1 in frame or not lines[index - 1].strip()
        if marked[index] and (begins or marked[index + 1]):
            frame.add(index)
    return frozenset(frame)


def _is_heading(lines: list[str], end: int, prefix: re.Match[str]) -> bool:
    """Return whether the paragraph that ends at ``end`` is a heading of either form."""
    if prefix["heading"]:
        return True
    below = lines[end] if end < len(lines) else ""
    return not prefix["marks"] and bool(_UNDERLINE.fullmatch(below))


def _is_bold_line(text: str) -> bool:
    """Return whether a line of Markdown is all bold, like a heading."""
    bold = _BOLD_LINE.fullmatch(text.strip())
    return bool(bold and is_short_line(bold["text"]))


def _is_label(text: str, item: str) -> bool:
    """Return whether a list item or attribution lacks the end of a sentence."""
    marked = bool(item) or bool(_ATTRIBUTION.match(text))
    return marked and not ends_sentence(text)


def ends_sentence(text: str) -> bool:
    """Return whether a text ends like a sentence."""
    return bool(_SENTENCE_END.search(text.rstrip()))


def _prefix(line: str) -> re.Match[str]:
    return next(_PREFIX.finditer(line))  # every line has one, though it may be empty


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


def _verbatim(
    lines: list[str], index: int, frame: frozenset[int], *, in_list: bool
) -> int:
    """Return the end of the block that is not prose and begins at ``index``."""
    line = lines[index]
    if (
        index in frame
        or not line.strip()
        or _RULE.fullmatch(line)
        or _DEFINITION.match(line)
    ):
        return index + 1
    if fence := _FENCE.match(line):
        return _find_fence_end(lines, index, fence["fence"])
    if _CODE_INDENT.match(line) and not in_list:
        return _while(lines, index, lambda other: bool(_CODE_INDENT.match(other)))
    if html := _HTML.match(line):
        return _html(lines, index, html["open"])
    if _is_table(lines, index):
        return _while(lines, index, lambda other: "|" in other)
    return index


def _unread(lines: list[str], index: int) -> int:
    """Return the end of the paragraph at ``index`` if it cannot be parsed as prose.

    It is HTML in a list or a quotation, or begins with a tag alone on its line; or it
    is a quotation, whose lines are separate prose, with a link or code that spans two.
    """
    prefix = _prefix(lines[index])
    first = lines[index][prefix.end() :]
    html = _HTML.match(first)
    if html or _LONE_TAG.fullmatch(first):
        return _html(lines, index, html and html["open"])
    if ">" not in prefix["marks"]:
        return index
    end = _while(lines, index, lambda other: bool(other.strip(" \t\r\n>")))
    bare = [line[_prefix(line).end() :] for line in lines[index:end]]
    apart = [mark for line in bare for mark in find_marks(line)]
    return index if find_marks("".join(bare)) == apart else end


def _paragraph(lines: list[str], index: int, frame: frozenset[int]) -> int:
    """Return the end of the paragraph, heading or quoted line at ``index``."""
    first = _prefix(lines[index])
    end = index + 1
    if first["heading"] or ">" in first["marks"]:
        return end
    while end < len(lines) and not _HARD_BREAK.fullmatch(lines[end - 1]):
        prefix = _prefix(lines[end])
        begins = prefix["marks"] or prefix["heading"] or prefix["note"]
        # Within a paragraph, an indented line is not code but continues it.
        if begins or _verbatim(lines, end, frame, in_list=True) > end:
            break
        end += 1
    return end


def _find_fence_end(lines: list[str], index: int, fence: str) -> int:
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
