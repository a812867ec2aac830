"""OpenDocument texts (odt): their XML edited where its text stands.

Notes, annotations, text boxes and fields are not rewritten. Styles say what is code, in
another language, or a heading: a style's name, its language, or those of the style that
it is made from.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from paraphrast.rewriting.formats.archives import Archive
from paraphrast.rewriting.formats.epub import PagesFormat
from paraphrast.rewriting.formats.html import decode
from paraphrast.rewriting.formats.marked import DEEPEST
from paraphrast.rewriting.formats.markup import Vocabulary, names, read_attributes
from paraphrast.rewriting.formats.segments import Role, is_code_style, is_heading_style

ODT = Vocabulary(
    inline=frozenset(("text:span", "text:a", "text:meta", "text:ruby-base")),
    links=frozenset(("text:a",)),
    opaque=names(
        "text:s text:soft-page-break text:bookmark text:bookmark-start "
        "text:bookmark-end text:reference-mark text:reference-mark-start "
        "text:reference-mark-end text:note text:ruby text:change text:change-start "
        "text:change-end text:page-number text:page-count text:date text:time "
        "text:sequence text:bookmark-ref text:note-ref text:sequence-ref "
        "text:author-name text:title text:subject text:file-name text:chapter "
        "text:user-field-get text:variable-get text:variable-set text:placeholder "
        "office:annotation office:annotation-end draw:frame draw:a"
    ),
    skipped=names(
        "text:tracked-changes text:table-of-content text:alphabetical-index "
        "text:bibliography text:illustration-index text:table-index office:scripts "
        "office:font-face-decls office:automatic-styles office:styles "
        "office:meta"
    ),
    roles={"text:h": Role.HEADING, "text:list-item": Role.LABEL}
    | dict.fromkeys(("table:table-cell", "style:header", "style:footer"), Role.LABEL),
)

_CONTENT, _STYLES = "content.xml", "styles.xml"
_STYLE = re.compile(r"<style:(?P<kind>style|default-style)\b(?P<attributes>[^>]*)>")
_LANGUAGE = re.compile(r"""\sfo:language\s*=\s*["']([\w-]*)""")
_LETTER = re.compile(r"_([0-9a-f]{2,4})_")  # as a name spells one: _20_ is a space
_DEFAULT = "default-style"


@dataclass(frozen=True, slots=True)
class _Style:
    """What a style is called, the one that it is made from, and its language."""

    name: str
    parent: str
    language: str


def _find_vocabulary(archive: Archive) -> Vocabulary:
    """Return what the elements of a document are, by the styles that it has."""
    styles: dict[str, _Style] = {}
    for path in (_STYLES, _CONTENT):
        if path in archive.files:
            text, _ = decode(archive.read(path), f"{archive.name}: {path}")
            styles |= dict(_read_styles(text))
    english = _is_english(_languages(styles, "Standard"))
    kept = {
        style
        for style in styles
        if any(is_code_style(own.name) for own in _lineage(styles, style))
        or (english and not _is_english(_languages(styles, style)))
    }
    headings = {
        style
        for style in styles
        if any(is_heading_style(own.name) for own in _lineage(styles, style))
    }
    return replace(ODT, kept_styles=frozenset(kept), heading_styles=frozenset(headings))


def _read_styles(text: str) -> Iterator[tuple[str, _Style]]:
    """Yield the styles of a file by their identifiers."""
    matches = list(_STYLE.finditer(text))
    ends = [*(match.start() for match in matches[1:]), len(text)]
    for match, following in zip(matches, ends, strict=False):
        end = text.find("</style:", match.end(), following)
        found = read_attributes(match["attributes"])
        own = found.get("style:name", "")
        name = found.get("style:display-name") or _LETTER.sub(
            lambda letter: chr(int(letter[1], 16)), own
        )
        language = _LANGUAGE.search(text, match.end(), end) if end > 0 else None
        style = _Style(
            name,
            found.get("style:parent-style-name", ""),
            language[1].lower() if language else "",
        )
        if match["kind"] == "style":
            yield own, style
        elif found.get("style:family") == "paragraph":
            yield _DEFAULT, replace(style, name="", parent="")


def _lineage(styles: dict[str, _Style], name: str) -> Iterator[_Style]:
    """Yield a style and those that it is made from."""
    seen: set[str] = set()
    while name in styles and name not in seen and len(seen) < DEEPEST:
        seen.add(name)
        yield styles[name]
        name = styles[name].parent


def _languages(styles: dict[str, _Style], name: str) -> list[str]:
    """Return the languages that hold for a style, the nearest first."""
    lineage = [*_lineage(styles, name), *_lineage(styles, _DEFAULT)]
    return [style.language for style in lineage if style.language]


def _is_english(languages: list[str]) -> bool:
    return not languages or languages[0].startswith("en")


format = PagesFormat((_CONTENT,), _find_vocabulary)
