"""E-books (epub): an archive of pages, each edited where its text stands."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from paraphrast.errors import ParaphrastError
from paraphrast.rewriting.formats.archives import Archive, locked, open_archive
from paraphrast.rewriting.formats.html import HTML, Page, decode
from paraphrast.rewriting.formats.markup import Vocabulary, find_stretches
from paraphrast.rewriting.formats.segments import Document, Rewritten, Segment

_PAGES = (".xhtml", ".html", ".htm")


@dataclass(frozen=True)
class Pages:
    """An archive whose pages were read, by their paths in it."""

    archive: Archive
    pages: dict[str, Page]
    markdown: bool = False

    @property
    def segments(self) -> list[Segment]:
        """Return the text of all pages."""
        return [segment for page in self.pages.values() for segment in page.segments]

    def write(self, rewritten: Sequence[Rewritten]) -> bytes:
        """Return the archive with its pages rewritten."""
        new, first = {}, 0
        for path, page in self.pages.items():
            last = first + len(page.stretches)
            data = page.write(rewritten[first:last])
            if data != page.source.encode(page.encoding):
                new[path] = data
            first = last
        return self.archive.replace(new)


@dataclass(frozen=True)
class PagesFormat:
    """A format whose files are archives of pages with these endings.

    What their elements are is found in the archive.
    """

    endings: tuple[str, ...]
    find_vocabulary: Callable[[Archive], Vocabulary]

    def read(self, data: bytes, name: str) -> Document:
        """Read the pages of an archive."""
        archive = open_archive(data, name)
        _refuse_locked(archive)
        vocabulary = self.find_vocabulary(archive)
        pages = {}
        for path in archive.files:
            if path.lower().endswith(self.endings):
                source, encoding = decode(archive.read(path), f"{name}: {path}")
                stretches = find_stretches(source, vocabulary)
                pages[path] = Page(source, encoding, stretches)
        return Pages(archive, pages)


def _refuse_locked(archive: Archive) -> None:
    """Refuse what no other program may read, and what runs programs of its own."""
    manifest = "META-INF/manifest.xml"
    if manifest in archive.files and b":encryption-data" in archive.read(manifest):
        raise locked(archive.name)
    if any(path.startswith(("Basic/", "Scripts/")) for path in archive.files):
        raise ParaphrastError(f"{archive.name}: contains macros. Save it without them.")


format = PagesFormat(_PAGES, lambda archive: HTML)
