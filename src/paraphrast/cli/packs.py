"""``paraphrast packs …``: list, fetch, show and remove packs."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe
from paraphrast.errors import ParaphrastError, unknown

if TYPE_CHECKING:
    from paraphrast.instruct.fetching import Description
    from paraphrast.storage.packs import Pack

OTHER = (
    "The installed files differ: they are from an older version, or your own. "
    "`paraphrast packs fetch` installs these."
)
app = typer.Typer(no_args_is_help=True, help="List, fetch, show and remove packs.")


@app.callback()
def packs() -> None:
    """List, fetch, show and remove packs."""


@app.command("list")
def list_packs(
    packs_folder: options.Packs = None, as_json: options.Json = False
) -> None:
    """List the installed packs and those that can be fetched.

    Example: paraphrast packs list
    """
    from paraphrast.instruct import fetching

    records = [_summarise(pack, state) for pack, state in _find_packs(packs_folder)]
    here = {record["name"] for record in records}
    for name in fetching.names():
        if name not in here:
            records.append(_summarise_remote(fetching.describe(name)))
    header = ("name", "state", "size", "rewriter", "styles")
    rows = [
        (
            r["name"],
            r["state"],
            printing.format_megabytes(r["bytes"]),
            r["kind"],
            len(r["styles"]),
        )
        for r in records
    ]
    lines = printing.format_table(rows, header=header, align="<<><>")
    printing.print_report(records, lines, as_json=as_json)


@app.command()
def fetch(
    name: options.PackName,
    mirror: options.From = None,
    packs_folder: options.Packs = None,
    as_json: options.Json = False,
) -> None:
    """Download a pack, or its missing files; print its folder.

    Example: paraphrast packs fetch large
    """
    from paraphrast.instruct import fetching
    from paraphrast.storage.packs import HOME

    if name in {pack.folder.name for pack, s in _find_packs(None) if s == "included"}:
        raise ParaphrastError(f"{name} comes with paraphrast and need not be fetched.")
    description = fetching.describe(name)
    with printing.show_bar(name, total=description.size) as advance:
        pack = fetching.fetch(
            description, home=packs_folder or HOME, mirror=mirror, progress=advance
        )
    verified = [file.name for file in description.files]
    record = {"name": name, "folder": str(pack.folder), "verified": verified}
    lines = [f"{pack.folder} ({len(verified)} files verified)"]
    printing.print_report(record, lines, as_json=as_json)


@describe
def show(
    name: options.PackName,
    verify: options.Verify = False,
    packs_folder: options.Packs = None,
    as_json: options.Json = False,
) -> None:
    """Show a pack's styles, files, licences and origin, and whether it is installed.

    Example: paraphrast packs show large
    """
    from paraphrast.instruct import fetching
    from paraphrast.storage import packs

    description = fetching.describe(name) if name in fetching.names() else None
    try:
        pack, state = _find(name, packs_folder)
    except ParaphrastError:
        if description is None:
            raise
        record = _summarise_remote(description)
        lines = [
            f"{name}: {printing.format_megabytes(description.size)}, {record['state']}"
        ]
        lines += _describe_files(description)
        printing.print_report(record, lines, as_json=as_json)
        return
    if verify:
        packs.verify(pack.folder)
    record = _summarise(pack, state) | asdict(pack.about)
    lines = [f"{pack.folder}: {printing.format_megabytes(record['bytes'])}, {state}"]
    lines += [f"writes {style}: {line}" for style, line in pack.about.styles.items()]
    if description:
        record["current"] = fetching.is_current(description, pack.folder)
        lines += _describe_files(description)
        lines += [] if record["current"] else [OTHER]
    lines += [f"licence: {licence}" for licence in pack.about.licences]
    lines += printing.origin_lines(pack.about)
    printing.print_report(record, lines, as_json=as_json)


@describe
def remove(
    name: str,
    packs_folder: options.Packs = None,
    yes: bool = False,
    as_json: options.Json = False,
) -> None:
    """Delete a pack from the folder of the installed packs.

    Example: paraphrast packs remove large

    Options:
        name PACK: Name of a pack.
        yes: Delete even a pack that cannot be fetched again.
    """
    from paraphrast.instruct import fetching
    from paraphrast.storage import packs

    folder = packs.path_for(name, packs_folder or packs.HOME)
    if not (folder / packs.KIND.manifest).is_file():
        here = [pack.folder.name for pack, _ in _find_packs(packs_folder)]
        if name in here:
            raise ParaphrastError(
                f"{name} comes with paraphrast and cannot be removed."
            )
        if name not in fetching.names() or not fetching.has_remains(folder):
            raise unknown("installed pack", name, here)
    elif name not in fetching.names() and not yes:
        raise ParaphrastError(
            f"{folder} cannot be fetched again. Add --yes to delete it."
        )
    fetching.remove(folder)
    record = {"name": name, "folder": str(folder)}
    printing.print_report(record, [f"removed {folder}"], as_json=as_json)


app.command()(show)
app.command()(remove)


def _find_packs(home: Path | None) -> "Iterator[tuple[Pack, str]]":
    """Yield the installed packs and those that come with paraphrast."""
    from paraphrast.storage import packs

    for folder, state in (
        (home or packs.HOME, "installed"),
        (packs.BUNDLED, "included"),
    ):
        for pack in packs.list_installed(folder):
            yield pack, state


def _find(name: str, home: Path | None) -> "tuple[Pack, str]":
    from paraphrast.storage import packs

    for pack, state in _find_packs(home):
        if pack.folder.name == name:
            return pack, state
    return packs.find(name, home or packs.HOME), "installed"


def _summarise(pack: "Pack", state: str) -> dict[str, Any]:
    return {
        "name": pack.folder.name,
        "state": state,
        "bytes": sum(file.size for file in pack.about.files.values()),
        "kind": pack.about.kind,
        "licences": list(pack.about.licences),
        "styles": dict(pack.about.styles),
        "folder": str(pack.folder),
    }


def _summarise_remote(description: "Description") -> dict[str, Any]:
    from paraphrast.instruct.styles import WORDS

    return {
        "name": description.name,
        "state": "can be fetched",
        "bytes": description.size,
        "kind": description.kind,
        "licences": list(description.licences),
        "styles": WORDS,
        "folder": None,
        "files": _list_files(description),
    }


def _list_files(description: "Description") -> list[dict[str, Any]]:
    return [asdict(file) | {"origin": file.origin} for file in description.files]


def _describe_files(description: "Description") -> Iterator[str]:
    for file in description.files:
        size = printing.format_megabytes(file.size)
        yield f"{file.name}: {file.about} ({file.licence}, {size})"
        yield f"  from {file.origin}, sha256 {file.sha256[:12]}…"
