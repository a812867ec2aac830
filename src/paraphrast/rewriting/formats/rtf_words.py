"""What the control words of RTF mean, and what its tables of fonts and styles say.

Read by position, as the rest of the file: `TOKEN` finds the next control word, symbol,
brace or character, and `find_group_end` leaps over a whole group.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from paraphrast.rewriting.formats.markup import names
from paraphrast.rewriting.formats.segments import is_code_style, is_heading_style

TOKEN = re.compile(
    r"""  \\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,10})?(?P<space>[ ]?)
        | \\'(?P<byte>[\dA-Fa-f]{2})
        | \\(?P<symbol>[^A-Za-z])
        | (?P<brace>[{}])
        | (?P<char>[^\\{}\r\n\0])
        | [\r\n\0]+ | \\\Z
    """,
    re.VERBOSE,
)
_LEAP = re.compile(r"\\bin(\d{1,10})[ ]?|\\[\\{}]|[{}]")
DESTINATION = re.compile(r"\{\s*(\\\*)?\s*\\([A-Za-z]+)")

CHARACTERS = {
    "emdash": "—",
    "endash": "–",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
}
SYMBOLS = {"~": "\xa0", "_": "\u2011", "\\": "\\", "{": "{", "}": "}"}
BREAKS = names(
    "par line tab cell nestcell row nestrow sect page column softpage softline "
    "softcol lbr"
)
# Fields without a group, and what does not show.
MARKS = names("chpgn chdate chdpl chdpa chtime chftn chatn sectnum")
# Groups whose text is running text, and those that stand between paragraphs.
LABELS = names("header headerl headerr headerf footer footerl footerr footerf")
RESULT = frozenset(("fldrslt",))
TABLES = names(
    "fonttbl colortbl stylesheet info filetbl revtbl listtable listoverridetable "
    "rsidtbl generator themedata colorschememapping latentstyles datastore"
)
# Other groups that hold no running text; so do all that begin with \*.
OPAQUE = names(
    "pict object footnote annotation atnid atnauthor atntime atnicn field shp shptxt "
    "shppict nonshppict listtext pntext pntxta pntxtb xe tc rxe txe bkmkstart bkmkend "
    "ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn upr do dptxbxtext nextfile private "
    "template themedata"
)
# What says who changed something when.
IGNORED = names("insrsid charrsid delrsid pararsid sectrsid tblrsid")

_CHARSETS = {
    0: "cp1252",
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "cp936",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
_SYMBOL_SET = 2
_PAGES = {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_ENGLISH, _NO_LANGUAGE = 9, (0, 1024, 4095)
_CHARSET = re.compile(r"\\f(\d+)\b[^{};]*?\\fcharset(\d+)")
_FIXED = re.compile(r"\\f(\d+)\b[^{};]*?\\fmodern")
_STYLE = re.compile(
    r"\{\s*(?:\\\*\s*)?(?:\\(s|cs)(\d+)\b)?[^{};]*?[ }]([^\\{};]+);\s*\}"
)


@dataclass(frozen=True)
class Tables:
    """What the head of a document says: its encoding, language, fonts and styles."""

    codec: str = "cp1252"
    english: bool = True
    fonts: dict[str, str] = field(default_factory=dict)  # of other encodings
    kept: frozenset[str] = frozenset()  # fonts of symbols, and of code
    headings: frozenset[str] = frozenset()  # as in \s1
    code: frozenset[str] = frozenset()  # as in \s1 and \cs10


def read_tables(source: str) -> Tables:
    """Return what the head of a document says."""
    head = source[: source.find("\\pard") if "\\pard" in source else len(source)]
    named = re.search(r"\\ansicpg(\d+)", head)
    kind = re.search(r"\\(ansi|mac|pca?)\b", head)
    codec = f"cp{named[1]}" if named else _PAGES[kind[1]] if kind else "cp1252"
    language = re.search(r"\\deflang(\d+)", head)
    fonts = _find_table(source, "fonttbl")
    sets = _CHARSET.findall(fonts)
    usual = re.search(r"\\deff(\d+)", head)
    fixed = frozenset(_FIXED.findall(fonts)) - {usual[1] if usual else "0"}
    styles = list(_read_styles(_find_table(source, "stylesheet")))
    return Tables(
        _known(codec, "cp1252"),
        language is None or is_english(language[1]),
        {f: _known(_CHARSETS[int(s)], codec) for f, s in sets if int(s) in _CHARSETS},
        frozenset(f for f, number in sets if int(number) == _SYMBOL_SET) | fixed,
        frozenset(word for word, name in styles if is_heading_style(name)),
        frozenset(word for word, name in styles if is_code_style(name)),
    )


def is_english(number: str) -> bool:
    """Say whether the number of a language is that of English, or of none."""
    return int(number) in _NO_LANGUAGE or int(number) & 0x3FF == _ENGLISH


def find_group_end(source: str, start: int) -> int:
    """Return the end of the group that opens at ``start``; -1 if it has none."""
    depth, position = 0, start
    while match := _LEAP.search(source, position):
        position = match.end() + int(match[1] or 0)
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return position
    return -1


def _find_table(source: str, name: str) -> str:
    start = source.find(f"{{\\{name}")
    return source[start : find_group_end(source, start)] if start >= 0 else ""


def _read_styles(table: str) -> Iterator[tuple[str, str]]:
    for match in _STYLE.finditer(table):
        yield f"\\{match[1] or 's'}{match[2] or 0}", match[3].strip()


def _known(codec: str, other: str) -> str:
    try:
        return codecs.lookup(codec).name
    except LookupError:
        return other
