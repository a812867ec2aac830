"""An MkDocs hook that adds pages to the site for files outside ``docs/``.

A page may link to any file of the repository, which works where the repository itself
is browsed. The site shows such a file as a page of its own: Markdown as it is, a folder
as a list of its files, any other text as a listing, and anything else (a Word document)
as a file to download.
"""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = "repository"  # of these pages on the site
# In the navigation, whether a page links to them or not.
NAMED = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "corpora/everyday/README.md",
    "packs/large/README.md",
)
LINK = re.compile(r"(\]\()([^)#\s:]+)((?:#[^)\s]*)?\))")
HIDDEN = "---\nsearch:\n  exclude: true\n---\n\n"


def on_files(files: Any, config: Any) -> Any:
    """Add a page for each file outside ``docs/`` that a page links to."""
    from mkdocs.structure.files import File

    waiting = [*NAMED]
    for file in files.documentation_pages():
        waiting += _outside_targets(f"docs/{file.src_uri}", file.content_string)
    on_site = set()
    while waiting:
        path = waiting.pop()
        if path in on_site:
            continue
        on_site.add(path)
        content = (ROOT / path).read_bytes() if _is_binary(path) else _show(path)
        if path.endswith(".md"):
            waiting += _outside_targets(path, str(content))
        files.append(File.generated(config, _page_name(path), content=content))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Return a page whose links to files outside ``docs/`` lead to their pages."""
    source = page.file.src_uri
    path = _repository_path(source)

    def move(match: re.Match[str]) -> str:
        before, target, after = match.groups()
        named = _resolve(path, target)
        if path.startswith("docs/") and _is_on_site(named):
            return match[0]
        place = named.removeprefix("docs/") if _is_on_site(named) else _page_name(named)
        if not (ROOT / named).exists():
            return match[0]  # which mkdocs then reports
        return f"{before}{posixpath.relpath(place, posixpath.dirname(source))}{after}"

    return LINK.sub(move, markdown)


def _outside_targets(path: str, content: str) -> Iterator[str]:
    for match in LINK.finditer(content):
        named = _resolve(path, match[2])
        if not _is_on_site(named) and (ROOT / named).exists():
            yield named


def _resolve(path: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def _is_on_site(path: str) -> bool:
    return path.startswith("docs/") and not path.endswith(".py")


def _page_name(path: str) -> str:
    as_it_is = path.endswith(".md") or _is_binary(path)
    return f"{FOLDER}/{path}" if as_it_is else f"{FOLDER}/{path}.md"


def _is_binary(path: str) -> bool:
    file = ROOT / path
    return file.is_file() and b"\0" in file.read_bytes()


def _repository_path(source: str) -> str:
    if not source.startswith(f"{FOLDER}/"):
        return f"docs/{source}"
    path = source.removeprefix(f"{FOLDER}/")
    return path if (ROOT / path).exists() else path.removesuffix(".md")


def _show(path: str) -> str:
    file = ROOT / path
    if file.is_dir():
        names = sorted(f"- `{f.name}`" for f in file.iterdir() if f.is_file())
        return f"{HIDDEN}# `{path}/`\n\n" + "\n".join(names) + "\n"
    text = file.read_text("utf-8")
    if path.endswith(".md"):
        return text
    kind = {".py": "python", ".toml": "toml", ".json": "json"}.get(file.suffix, "text")
    return f"{HIDDEN}# `{path}`\n\n````{kind}\n{text}\n````\n"
