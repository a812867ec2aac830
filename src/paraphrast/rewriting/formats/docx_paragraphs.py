"""A paragraph of a Word document as atoms, and atoms as a paragraph again.

An `Atom` is the text of a ``w:t``; or something that stays whole: a field with its
result, an equation, a footnote's mark, a picture, a bookmark. It knows its run, whose
formatting it has, and the containers around that: hyperlinks, tracked insertions. A
paragraph is written from `Piece` objects in a new order: neighbours of one run are put
into one run, and neighbours of one container into one copy of it.
"""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from paraphrast.text.documents import ends_sentence

Node: TypeAlias = Any  # an element of lxml, which has no types

PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m",
    "http://www.w3.org/XML/1998/namespace": "xml",
}
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_CONTAINERS = {"w:hyperlink", "w:ins", "w:moveTo", "w:smartTag", "w:customXml"}
_BREAKS = {"w:tab", "w:br", "w:cr", "w:ptab"}
_WHOLE = {"w:fldSimple", "w:sdt", "m:oMath", "m:oMathPara", "w:dir", "w:bdo"}
_STALE = {"w:proofErr", "w:lastRenderedPageBreak"}  # of no use beside new text
_SIGNS = {"w:noBreakHyphen": "\u2011"}
_OPENING = {"w:bookmarkStart", "w:commentRangeStart", "w:permStart"}
_CLOSING = {"w:bookmarkEnd", "w:commentRangeEnd", "w:permEnd"}

AUTHOR = "Paraphrast"  # of tracked changes

Tracked: TypeAlias = Literal["", "ins", "del"]


@dataclass(eq=False)
class Atom:
    """A part of a paragraph that is text, or stays whole.

    ``nodes`` are the children of ``run``, or of the innermost container without one;
    those of a field may be in several runs and are pairs of these.
    """

    text: str
    nodes: list[tuple[Node | None, Node]]
    containers: tuple[Node, ...] = ()
    whole: bool = True
    kept: bool = False
    breaks: bool = False
    separator: bool = False  # a line break inside a sentence, whose text is a space

    @property
    def run(self) -> Node | None:
        """Return the run whose formatting it has."""
        return self.nodes[0][0]

    @property
    def range_key(self) -> tuple[str, str] | None:
        """Return what the two ends of a bookmark or a comment have in common."""
        node = self.nodes[0][1]
        name = name_of(node)
        if name in _OPENING | _CLOSING:
            kind = name.removesuffix("Start").removesuffix("End")
            return kind, attribute(node, "id") or ""
        return None

    @property
    def opens(self) -> bool:
        """Say whether it is the first end of a bookmark or a comment."""
        return name_of(self.nodes[0][1]) in _OPENING


@dataclass(frozen=True, slots=True)
class Piece:
    """An atom in a new paragraph; of a text atom, some text with its formatting."""

    atom: Atom
    text: str = ""
    tracked: Tracked = ""


def name_of(node: Node) -> str:
    """Return a name such as ``w:t``; elements of other schemas have none."""
    if not isinstance(node.tag, str):  # a comment
        return ""
    space, _, name = node.tag[1:].rpartition("}")
    prefix = PREFIXES.get(space)
    return f"{prefix}:{name}" if prefix else ""


def attribute(node: Node, name: str) -> str | None:
    """Return an attribute by its name without a schema."""
    for key, value in node.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return None


def find_child(node: Node | None, *names: str) -> Node | None:
    """Return the first child of the first child … of these names."""
    for name in names:
        if node is None:
            return None
        node = next((child for child in node if name_of(child) == name), None)
    return node


@dataclass
class Fields:
    """How deep in fields a document is where it has been read to."""

    depth: int = 0


def read_atoms(paragraph: Node, fields: Fields) -> list[Atom] | None:
    """Return the atoms of a paragraph; None if a field begins or ends outside it."""
    begun = fields.depth
    atoms = [atom for child in paragraph for atom in _read(child, ())]
    joined: list[Atom] = []
    opened: Atom | None = None
    for atom in atoms:
        depth = fields.depth
        for _, node in atom.nodes:
            if name_of(node) == "w:fldChar":
                kind = attribute(node, "fldCharType")
                fields.depth += {"begin": 1, "end": -1}.get(kind or "", 0)
        fields.depth = max(0, fields.depth)
        if depth == 0 and fields.depth == 0:
            joined.append(atom)
        elif opened is None:
            opened = Atom(atom.text, list(atom.nodes), atom.containers, kept=True)
            joined.append(opened)
        else:
            opened.text += atom.text
            opened.nodes += atom.nodes
        if fields.depth == 0:
            opened = None
    return None if begun or fields.depth else joined


def is_bold(atoms: Sequence[Atom]) -> bool:
    """Say whether all text of these atoms is directly formatted as bold."""
    marks = [
        find_child(atom.run, "w:rPr", "w:b") for atom in atoms if atom.text.strip()
    ]
    off = {"0", "false", "off"}
    return bool(marks) and all(
        mark is not None and attribute(mark, "val") not in off for mark in marks
    )


def join_broken_lines(atoms: Sequence[Atom]) -> None:
    """Make line breaks inside a sentence, those before a small letter, separators.

    Not beside what stays whole and has text: separators have their place by the words.
    """
    if any(atom.whole and atom.text for atom in atoms):
        return
    for index, atom in enumerate(atoms):
        before = "".join(other.text for other in atoms[:index]).rstrip()
        after = "".join(other.text for other in atoms[index + 1 :]).lstrip()
        near = index + 1 < len(atoms) and not atoms[index + 1].breaks
        small = near and after[:1].islower() and not ends_sentence(before)
        if before and small and _is_line_break(atom.nodes[0][1]):
            atom.text, atom.breaks, atom.separator = " ", False, True


def _is_line_break(node: Node) -> bool:
    return name_of(node) == "w:br" and attribute(node, "type") in (None, "textWrapping")


def _read(node: Node, containers: tuple[Node, ...]) -> Iterator[Atom]:
    name = name_of(node)
    if name == "w:r":
        yield from _read_run(node, containers)
    elif name in _CONTAINERS:
        for child in node:
            yield from _read(child, (*containers, node))
    elif name in _WHOLE:
        text = "".join(_texts(node))
        yield Atom(text, [(None, node)], containers, kept=bool(text))
    elif name not in ("w:pPr", *_STALE):
        yield Atom("", [(None, node)], containers)


def _read_run(run: Node, containers: tuple[Node, ...]) -> Iterator[Atom]:
    hidden = find_child(run, "w:rPr", "w:vanish") is not None
    for child in run:
        name = name_of(child)
        nodes: list[tuple[Node | None, Node]] = [(run, child)]
        if name == "w:t" and not hidden:
            if child.text:
                yield Atom(child.text, nodes, containers, whole=False)
        elif name in _SIGNS:
            yield Atom(_SIGNS[name], nodes, containers, kept=True)
        elif name not in ("w:rPr", *_STALE):
            yield Atom("", nodes, containers, breaks=name in _BREAKS)


def _texts(node: Node) -> Iterator[str]:
    for inner in node.iter():
        if name_of(inner) in ("w:t", "m:t"):
            yield inner.text or ""


def write_pieces(paragraph: Node, pieces: Sequence[Piece], ids: Iterator[int]) -> None:
    """Put pieces in the place of what a paragraph holds."""
    new = _Writer(paragraph, ids)
    properties = find_child(paragraph, "w:pPr")
    for child in list(paragraph):
        if child is not properties:
            paragraph.remove(child)
    for piece in pieces:
        for run, node in piece.atom.nodes:
            new.add(piece, run, node)


@dataclass
class _Writer:
    """Writes pieces into a paragraph; knows what is open after the last one."""

    paragraph: Node
    ids: Iterator[int]
    containers: list[tuple[Node, Node]] = field(default_factory=list)  # source, copy
    change: Node | None = None  # the open insertion or deletion
    tracked: Tracked = ""
    run: tuple[Node, Node] | None = None  # source, copy
    copied: set[Node] = field(default_factory=set)

    def add(self, piece: Piece, run: Node | None, node: Node) -> None:
        """Write a node of a piece after those before it."""
        self._open(piece)
        if run is None:
            self.run = None
            _append(self._parent, node)
            return
        if self.run is None or self.run[0] is not run:
            self.run = (run, _copy_run(run))
            self._parent.append(self.run[1])
        if piece.atom.whole:
            _append(self.run[1], node)
        else:
            _add_text(self.run[1], node, piece)

    @property
    def _parent(self) -> Node:
        if self.change is not None:
            return self.change
        return self.containers[-1][1] if self.containers else self.paragraph

    def _open(self, piece: Piece) -> None:
        """Open copies of the containers of a piece, unless they are open."""
        wanted = list(piece.atom.containers)
        if piece.tracked == "ins":  # what is new is in nobody else's insertion
            wanted = [c for c in wanted if name_of(c) == "w:hyperlink"]
        same = [source for source, _ in self.containers] == wanted
        if same and piece.tracked == self.tracked:
            return
        self.run = self.change = None
        self.tracked = piece.tracked
        self._open_containers(wanted)
        if piece.tracked:
            self.change = self._make_change(piece.tracked)

    def _open_containers(self, wanted: Sequence[Node]) -> None:
        common = 0
        for (ours, _), theirs in zip(self.containers, wanted, strict=False):
            if ours is not theirs:
                break
            common += 1
        del self.containers[common:]
        for source in wanted[common:]:
            container = _copy_alone(source)
            if source in self.copied and name_of(source) != "w:hyperlink":
                _set(container, "id", str(next(self.ids)))
            self.copied.add(source)
            self._parent.append(container)
            self.containers.append((source, container))

    def _make_change(self, kind: Tracked) -> Node:
        space = self.paragraph.tag.rpartition("}")[0] + "}"
        change = self.paragraph.makeelement(f"{space}{kind}")
        change.set(f"{space}id", str(next(self.ids)))
        change.set(f"{space}author", AUTHOR)
        self._parent.append(change)
        return change


def _copy_alone(node: Node) -> Node:
    """Return an element without what it holds."""
    return node.makeelement(node.tag, dict(node.attrib), nsmap=node.nsmap)


def _copy_run(run: Node) -> Node:
    copied = _copy_alone(run)
    properties = find_child(run, "w:rPr")
    if properties is not None:
        copied.append(deepcopy(properties))
    return copied


def _append(parent: Node, node: Node) -> None:
    node.tail = None
    parent.append(node)


def _add_text(run: Node, source: Node, piece: Piece) -> None:
    """Write text into a run: after the text that stands there, if any."""
    name = "delText" if piece.tracked == "del" else "t"
    tag = f"{source.tag.rpartition('}')[0]}}}{name}"
    last = run[-1] if len(run) else None
    if last is None or last.tag != tag:
        last = run.makeelement(tag, dict(source.attrib))
        last.text = ""
        run.append(last)
    last.text += _ILLEGAL.sub("", piece.text)
    if last.text != last.text.strip() or "  " in last.text:
        last.set(_SPACE, "preserve")


def _set(node: Node, name: str, value: str) -> None:
    for key in node.attrib:
        if key.rpartition("}")[2] == name:
            node.set(key, value)
