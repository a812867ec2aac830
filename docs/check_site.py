"""Check a built site for broken links and for files loaded from other sites.

Run    python -m docs.check_site build/site     print any problems, and exit 1

A link may lead to another site, for a reader to follow; a script, a style sheet, a
picture or a font from there would need a network and reveal the reader to that site.
"""

import re
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"src", "data", "poster"}  # attributes whose file is fetched
LOADING_LINKS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "manifest"}
IN_STYLES = re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')\s]+)")


@dataclass
class Page(HTMLParser):
    """What an HTML page loads, what it links to, and the anchors that it has."""

    loaded: list[str] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=lambda: {""})

    def __post_init__(self) -> None:
        """Set the parser up."""
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the links and the anchor of one tag."""
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        self.loaded += [values[name] for name in LOADED if name in values]
        self.loaded += IN_STYLES.findall(values.get("style", ""))
        if "href" in values:
            fetched = tag == "link" and LOADING_LINKS & set(values["rel"].split())
            (self.loaded if fetched else self.linked).append(values["href"])


def check(site: Path) -> list[str]:
    """Return one line per broken link and per file loaded from another site."""
    pages = {path.resolve(): _read(path) for path in sorted(site.rglob("*.html"))}
    wrong = [
        f"{path.relative_to(site)}: loads {address}"
        for path in sorted(site.rglob("*.css"))
        for address in IN_STYLES.findall(path.read_text("utf-8"))
    ]
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        wrong += [
            f"{name}: loads {address}"
            for address in page.loaded
            if _is_elsewhere(address) and not address.startswith("data:")
        ]
        wrong += [
            f"{name}: {target} leads nowhere"
            for target in [*page.loaded, *page.linked]
            if not _is_elsewhere(target) and not _leads(path, target, pages, site)
        ]
    return wrong


def _read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text("utf-8"))
    return page


def _is_elsewhere(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc or parts.scheme)


def _leads(path: Path, target: str, pages: dict[Path, Page], site: Path) -> bool:
    parts = urlsplit(target)
    folder = site if parts.path.startswith("/") else path.parent
    file = (folder / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
    if file.is_dir():
        file /= "index.html"
    if file not in pages:
        return file.exists()
    return unquote(parts.fragment) in pages[file].anchors


def main() -> None:
    """Print the problems of the site given on the command line."""
    if len(sys.argv) != 2 or not Path(sys.argv[1], "index.html").exists():
        sys.exit("say where the site is: python -m docs.check_site build/site")
    wrong = check(Path(sys.argv[1]))
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
