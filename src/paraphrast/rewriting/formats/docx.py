"""Word documents: body, headers, footers, footnotes and endnotes, text boxes.

The parts of the document that hold text are read as XML, and only paragraphs that
changed are put together anew (`docx_paragraphs`). What is between tabs and line breaks
is a segment, but for breaks inside a sentence. Comments, deleted text, hidden text,
fields and equations are not rewritten, nor are code and text that a style marks as not
to be translated.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, groupby
from typing import Any

from paraphrast import extras
from paraphrast.errors import ParaphrastError
from paraphrast.rewriting.formats.archives import Archive, broken, open_archive
from paraphrast.rewriting.formats.docx_paragraphs import (
    Atom,
    Fields,
    Node,
    Piece,
    attribute,
    find_child,
    is_bold,
    join_broken_lines,
    name_of,
    read_atoms,
    write_pieces,
)
from paraphrast.rewriting.formats.marked import choose_cuts
from paraphrast.rewriting.formats.origins import find_kept
from paraphrast.rewriting.formats.segments import (
    Document,
    Rewritten,
    Role,
    Segment,
    find_places,
    find_range,
    is_code_style,
    is_heading_style,
)
from paraphrast.rewriting.sections import find_changes
from paraphrast.text.documents import is_short_line
from paraphrast.text.spans import Span, merge_spans

_TYPES = "[Content_Types].xml"
_MAIN = ("document.main+xml", "template.main+xml")
_TEXT = (*_MAIN, ".header+xml", ".footer+xml", ".footnotes+xml", ".endnotes+xml")
_STYLES = ".styles+xml"
_SHORT = {"w:tc", "w:hdr", "w:ftr"}  # where most text is no sentence
_LISTED = re.compile(r"list|caption", re.IGNORECASE)
_FIRST_ID = 900_000  # of tracked changes, beyond those that editors have given


@dataclass(frozen=True)
class Stretch:
    """The atoms of a paragraph between two breaks, ``atoms[first:last]`` of it.

    ``before`` is the white space before the text.
    """

    paragraph: int
    first: int
    last: int
    before: int
    segment: Segment


@dataclass
class Paragraph:
    """A paragraph and its atoms, of the part with this path."""

    part: str
    node: Node
    atoms: list[Atom]


@dataclass(frozen=True)
class Docx:
    """A document that was read; each write reads the XML again."""

    archive: Archive
    segments: Sequence[Segment]
    markdown: bool = False

    def write(self, rewritten: Sequence[Rewritten]) -> bytes:
        """Return the document with new text."""
        return self._write(rewritten, tracked=False)

    def write_tracked(self, rewritten: Sequence[Rewritten]) -> bytes:
        """Return the document with a tracked deletion and insertion per change."""
        return self._write(rewritten, tracked=True)

    def _write(self, rewritten: Sequence[Rewritten], *, tracked: bool) -> bytes:
        parsed = _Parsed(self.archive)
        ids = count(_FIRST_ID)
        changed: dict[int, dict[int, tuple[Stretch, Rewritten]]] = {}
        for stretch, new in zip(parsed.stretches, rewritten, strict=True):
            if new.text != stretch.segment.text:
                own = changed.setdefault(stretch.paragraph, {})
                own[stretch.first] = (stretch, new)
        parts = set()
        for number, stretches in changed.items():
            paragraph = parsed.paragraphs[number]
            pieces = list(_rewrite(paragraph.atoms, stretches, tracked=tracked))
            write_pieces(paragraph.node, pieces, ids)
            parts.add(paragraph.part)
        return self.archive.replace({path: parsed.serialise(path) for path in parts})


class DocxFormat:
    """The format."""

    def read(self, data: bytes, name: str) -> Document:
        """Read a document, and refuse one with macros or what is not plain XML."""
        archive = open_archive(data, name)
        parsed = _Parsed(archive)
        return Docx(archive, [stretch.segment for stretch in parsed.stretches])


class _Parsed:
    """The XML of a document: its paragraphs, and the stretches of text in them."""

    def __init__(self, archive: Archive) -> None:
        """Parse the parts that hold text."""
        self.archive = archive
        self.etree = extras.require("lxml.etree")
        types = _read_types(archive, self.parse(_TYPES))
        self.styles = self._read_styles(types)
        self.is_english = self._is_english(types)
        self.roots = {
            path: self.parse(path) for path, kind in types if kind.endswith(_TEXT)
        }
        self.paragraphs = list(self._find_paragraphs())
        self.stretches = [
            stretch
            for number, paragraph in enumerate(self.paragraphs)
            for stretch in self._find_stretches(number, paragraph)
        ]

    def parse(self, path: str) -> Node:
        """Return the root of a part; nothing outside of it is read."""
        parser = self.etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False
        )
        data = self.archive.read(path)
        try:
            root = self.etree.fromstring(data, parser)
        except self.etree.XMLSyntaxError as error:
            raise broken(f"{self.archive.name}: {path}", error) from error
        if root.getroottree().docinfo.doctype:
            raise ParaphrastError(
                f"{self.archive.name}: {path} declares entities, which Word documents "
                "do not. Open it in its editor and save it again."
            )
        return root

    def serialise(self, path: str) -> bytes:
        """Return the XML of a part."""
        tree = self.roots[path].getroottree()
        data: bytes = self.etree.tostring(
            tree, xml_declaration=True, encoding="UTF-8", standalone=True
        )
        return data

    def _read_styles(self, types: Sequence[tuple[str, str]]) -> dict[str, str]:
        """Map the identifiers of styles to their names, which are English."""
        names = {}
        for path, kind in types:
            if kind.endswith(_STYLES):
                for style in self.parse(path):
                    name = find_child(style, "w:name")
                    if name is not None:
                        own = attribute(style, "styleId") or ""
                        names[own] = attribute(name, "val") or ""
        return names

    def _is_english(self, types: Sequence[tuple[str, str]]) -> bool:
        """Say whether what has no language of its own is in English."""
        path = ("w:docDefaults", "w:rPrDefault", "w:rPr", "w:lang")
        languages = [
            find_child(self.parse(part), *path)
            for part, kind in types
            if kind.endswith(_STYLES)
        ]
        return any(_names_english(node) for node in languages if node is not None)

    def _find_paragraphs(self) -> Iterator[Paragraph]:
        for path, root in self.roots.items():
            fields = Fields()
            for node in root.iter():
                if name_of(node) == "w:p":
                    atoms = read_atoms(node, fields)
                    if atoms is not None and not _is_bound(node):
                        join_broken_lines(atoms)
                        yield Paragraph(path, node, atoms)

    def _find_stretches(self, number: int, paragraph: Paragraph) -> Iterator[Stretch]:
        role = self._find_role(paragraph.node)
        first = 0
        for breaks, group in groupby(paragraph.atoms, key=lambda atom: atom.breaks):
            own = list(group)
            last = first + len(own)
            text = "".join(atom.text for atom in own)
            if not breaks and role is not None and text.strip():
                before = len(text) - len(text.lstrip())
                bold = role is Role.PROSE and is_short_line(text) and is_bold(own)
                found = Role.HEADING if bold else role
                segment = self._make_segment(own, text, before, found)
                yield Stretch(number, first, last, before, segment)
            first = last

    def _find_role(self, node: Node) -> Role | None:
        """Return what a paragraph is; None for code, of which nothing is read."""
        properties = find_child(node, "w:pPr")
        name = self._style_name(find_child(properties, "w:pStyle"))
        if is_code_style(name):
            return None
        if is_heading_style(name) or find_child(properties, "w:outlineLvl") is not None:
            return Role.HEADING
        listed = find_child(properties, "w:numPr") is not None or _LISTED.match(name)
        short = any(name_of(parent) in _SHORT for parent in node.iterancestors())
        return Role.LABEL if listed or short else Role.PROSE

    def _style_name(self, style: Node | None) -> str:
        if style is None:
            return ""
        own = attribute(style, "val") or ""
        return self.styles.get(own, own)

    def _make_segment(
        self, atoms: Sequence[Atom], text: str, before: int, role: Role
    ) -> Segment:
        numbers: dict[object, int] = {}
        formats: list[int] = []
        kept: list[Span] = []
        links: dict[Node, list[int]] = {}
        for atom in atoms:
            start = len(formats)
            number = numbers.setdefault(self._format_key(atom), len(numbers))
            formats += [number] * len(atom.text)
            if atom.text and (atom.kept or self._is_left(atom)):
                kept.append(Span(start, len(formats), "kept"))
            for container in atom.containers:
                if name_of(container) == "w:hyperlink" and atom.text:
                    links.setdefault(container, [start, 0])[1] = len(formats)
        end = len(text.rstrip())

        def cut(spans: Sequence[Span]) -> tuple[Span, ...]:
            shifted = (
                Span(max(s.start - before, 0), min(s.end, end) - before, s.kind)
                for s in spans
            )
            return tuple(span for span in shifted if span.start < span.end)

        return Segment(
            text[before:end],
            formats[before:end],
            cut(merge_spans(kept)),
            cut([Span(start, last) for start, last in links.values()]),
            role,
        )

    def _format_key(self, atom: Atom) -> object:
        """Return what is the same for atoms that look the same."""
        if atom.kept:
            return atom
        properties = find_child(atom.run, "w:rPr")
        look = b"" if properties is None else self.etree.tostring(properties)
        return atom.containers, look

    def _is_left(self, atom: Atom) -> bool:
        """Say whether text is code, not to be touched, or in another language."""
        language = find_child(atom.run, "w:rPr", "w:lang")
        if self.is_english and language is not None and not _names_english(language):
            return True
        style = find_child(atom.run, "w:rPr", "w:rStyle")
        return is_code_style(self._style_name(style))


def _read_types(archive: Archive, root: Node) -> list[tuple[str, str]]:
    """Return the path and the type of each part of a Word document."""
    types = [
        ((attribute(node, "PartName") or "").lstrip("/"), kind)
        for node in root
        if (kind := attribute(node, "ContentType") or "")
    ]
    macros = any("macroEnabled" in kind or "vba" in kind for _, kind in types)
    if macros or any(path.endswith("vbaProject.bin") for path in archive.files):
        raise ParaphrastError(
            f"{archive.name}: contains macros. Save it as a .docx without them."
        )
    if not any(kind.endswith(_MAIN) for _, kind in types):
        raise ParaphrastError(
            f"{archive.name}: not a Word document. Save it as .docx in its editor."
        )
    return types


def _names_english(language: Node) -> bool:
    return (attribute(language, "val") or "en").lower().startswith("en")


def _is_bound(node: Node) -> bool:
    """Say whether a paragraph shows data that stand elsewhere in the document."""
    for parent in node.iterancestors():
        properties = find_child(parent, "w:sdtPr")
        if find_child(properties, "w:dataBinding") is not None:
            return True
    return False


def _rewrite(
    atoms: Sequence[Atom],
    changed: dict[int, tuple[Stretch, Rewritten]],
    *,
    tracked: bool,
) -> Iterator[Piece]:
    """Yield a paragraph's pieces; ``changed`` are its new stretches by their start."""
    index = 0
    while index < len(atoms):
        if index in changed:
            stretch, new = changed[index]
            own = _Text.of(atoms[index : stretch.last])
            wide = own.widen(new, stretch)
            yield from own.track(wide) if tracked else own.write(wide)
            index = stretch.last
        else:
            yield Piece(atoms[index], atoms[index].text)
            index += 1


@dataclass(frozen=True)
class _Text:
    """Atoms as text: ``owners[i]`` is the atom that character i is of.

    ``anchors`` are those without text, with the number of characters before each.
    """

    text: str
    owners: Sequence[Atom]
    anchors: Sequence[tuple[int, Atom]]

    @staticmethod
    def of(atoms: Sequence[Atom]) -> "_Text":
        """Return the text of atoms."""
        owners: list[Atom] = []
        anchors = []
        for atom in atoms:
            if not atom.text:
                anchors.append((len(owners), atom))
            owners += [atom] * len(atom.text)
        return _Text("".join(atom.text for atom in atoms), owners, anchors)

    def widen(self, new: Rewritten, stretch: Stretch) -> tuple[str, list[int]]:
        """Return a rewrite and its origins with the white space around the text."""
        before = stretch.before
        end = before + len(stretch.segment.text)
        text = self.text[:before] + new.text + self.text[end:]
        origins = [
            *range(before),
            *(before + origin for origin in new.origins),
            *range(end, len(self.text)),
        ]
        missing = self._find_separators()[text.count(" ") :]
        return text + " " * len(missing), origins + missing

    def write(self, new: tuple[str, list[int]]) -> Iterator[Piece]:
        """Yield the new text, each character as the one that it stands for."""
        text, origins = new
        anchors = self._place(origins)
        whole = self._find_whole()
        starts = dict(zip(self._find_places(text, origins), whole, strict=False))
        skipped = 0
        for index, char in enumerate(text):
            yield from (Piece(atom) for atom in anchors.get(index, ()))
            if index in starts:
                span = starts[index]
                yield Piece(self.owners[span.start])
                skipped = index + span.end - span.start
            if index >= skipped:
                yield Piece(self._find_writable(origins[index]), char)
        yield from (Piece(atom) for atom in anchors.get(len(text), ()))

    def track(self, new: tuple[str, list[int]]) -> Iterator[Piece]:
        """Yield the old text with each change as a deletion and an insertion."""
        text, origins = new
        position = 0
        for start, end, first, last in self._find_edits(text, origins):
            yield from self._copy(position, start)
            yield from self._copy(start, end, deleted=True)
            for index in range(first, last):
                owner = self._find_writable(origins[index])
                yield Piece(owner, text[index], "ins")
            position = end
        yield from self._copy(position, len(self.text), closing=True)

    def _copy(
        self, start: int, end: int, *, deleted: bool = False, closing: bool = False
    ) -> Iterator[Piece]:
        """Yield a stretch of the old text with its anchors, as it was or deleted."""
        last = None
        for index in range(start, end + closing):
            yield from (Piece(a) for position, a in self.anchors if position == index)
            if index == end:
                break
            owner = self.owners[index]
            if not owner.whole:
                yield Piece(owner, self.text[index], "del" if deleted else "")
            elif owner is not last:
                yield Piece(owner)
            last = owner

    def _find_edits(
        self, text: str, origins: Sequence[int]
    ) -> Iterator[tuple[int, int, int, int]]:
        """Yield stretches of the old text and of the new one that take their place.

        What stays whole is in none of them: it is in both texts, in the same order.
        """
        whole = self._find_whole()
        places = [*self._find_places(text, origins), len(text)]
        ends = [*whole, Span(len(self.text), len(self.text))]
        start = first = 0
        for span, position in zip(ends, places, strict=True):
            shift = first - start
            for change in find_changes(
                self.text[start : span.start], text[first:position], ""
            ):
                begin, end = start + change.start, start + change.end
                yield begin, end, begin + shift, begin + shift + len(change.after)
                shift += len(change.after) - (end - begin)
            start, first = span.end, position + span.end - span.start

    def _find_whole(self) -> list[Span]:
        """Return the text of the atoms that stay whole."""
        return [
            Span(index, index + len(atom.text))
            for index, atom in enumerate(self.owners)
            if atom.whole and (index == 0 or self.owners[index - 1] is not atom)
        ]

    def _find_places(self, text: str, origins: Sequence[int]) -> list[int]:
        """Return where in a new text that stands which stays whole, in order."""
        separators = [atom.separator for atom in self.owners]
        if any(separators):
            spaces = [index for index, char in enumerate(text) if char == " "]
            return sorted(choose_cuts(spaces, origins, separators))
        return list(find_kept(self.text, text, self._find_whole()))

    def _find_separators(self) -> list[int]:
        return [index for index, atom in enumerate(self.owners) if atom.separator]

    def _find_writable(self, origin: int) -> Atom:
        """Return the atom whose look new text takes: never one that stays whole."""
        if not self.owners[origin].whole:
            return self.owners[origin]
        near = sorted(range(len(self.owners)), key=lambda index: abs(index - origin))
        return next(
            (self.owners[i] for i in near if not self.owners[i].whole),
            self.owners[origin],
        )

    def _place(self, origins: Sequence[int]) -> dict[int, list[Atom]]:
        """Return the anchors by the place in the new text that they stand before."""
        ranges: dict[Any, list[int]] = {}
        for offset, atom in self.anchors:
            if atom.range_key:
                ranges.setdefault(atom.range_key, []).append(offset)
        places = find_places(origins, len(self.text))
        placed: dict[int, list[Atom]] = {}
        for offset, atom in self.anchors:
            own = ranges.get(atom.range_key, ()) if atom.range_key else ()
            now = find_range(origins, *own) if len(own) == 2 else None
            if now:
                position = now[0 if atom.opens else 1]
            else:  # both ends of a range that is gone stand together
                position = places[own[0] if own else offset]
            placed.setdefault(position, []).append(atom)
        return placed


format = DocxFormat()
