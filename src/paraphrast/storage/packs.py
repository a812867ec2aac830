"""A pack: a folder with a trained model and everything that must be known of it.

``pack.toml`` says which format it has, what it writes, what it was trained on (with
sha256), which evaluators took part in that, what it scores, and of every other file
its size and sha256. ``config.toml`` holds the settings of the family that made it,
``README.md`` is for people, and the rest are its weights.

A pack appears whole or not at all. Reading one looks at the sizes of its files, which
finds a folder that was copied in part, and leaves their contents to those who read
them; `verify` compares every byte. Packs live where the caller says, or in `HOME`.
"""

import hashlib
import shutil
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from paraphrast import config
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.storage.atomic import cannot_write

FORMAT = 1
MANIFEST = "pack.toml"
CONFIG = "config.toml"
README = "README.md"
HOME = Path("~/.local/share/paraphrast/packs")


@dataclass(frozen=True, slots=True)
class Data:
    """A text that a pack was trained on."""

    name: str
    sha256: str
    licence: str = "unknown"


@dataclass(frozen=True, slots=True)
class Score:
    """A figure, and the signature that says how it was taken."""

    name: str
    value: float
    signature: str


@dataclass(frozen=True, slots=True)
class File:
    """What a file of a pack must be."""

    size: int
    sha256: str


@dataclass(frozen=True)
class About:
    """What a pack says of itself; ``styles`` maps each to a line about it.

    ``evaluators`` are the sha256 of the judges that took part in training: scoring
    with one of these would be letting it judge itself.
    """

    name: str
    kind: str
    styles: dict[str, str]
    licences: tuple[str, ...] = ()
    evaluators: tuple[str, ...] = ()
    data: tuple[Data, ...] = ()
    scores: tuple[Score, ...] = ()
    files: dict[str, File] = field(default_factory=dict)
    format: int = FORMAT
    paraphrast: str = ""


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack on disk."""

    folder: Path
    about: About

    def settings(self, kind: type[config.Settings]) -> config.Settings:
        """Return the settings of the family that made the pack."""
        return config.load(self.folder / CONFIG, kind)


@contextmanager
def new(folder: Path, *, replacing: bool = False) -> Iterator[Path]:
    """Yield a folder to fill and `seal`; at the end it takes its place.

    What stands there already is refused or, if ``replacing``, a pack gives way.
    """
    refuse_taken(folder, replacing=replacing)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        filling = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    except OSError as error:
        raise cannot_write(folder, error) from error
    try:
        yield filling
        filling.chmod(0o755)
        _put(filling, folder)
    except OSError as error:
        raise cannot_write(folder, error) from error
    finally:
        shutil.rmtree(filling, ignore_errors=True)


def refuse_taken(
    folder: Path, *, replacing: bool = False, instead: str = "Choose another with -o"
) -> None:
    """Refuse a place where something stands that must not be lost."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not replacing:
        raise ParaphrastError(
            f"{folder} is there already. {instead}, or add --replace."
        )
    if not (folder / MANIFEST).is_file():
        raise ParaphrastError(
            f"{folder} is not a pack, so it is not replaced. {instead}."
        )


def seal(folder: Path, about: About, settings: Mapping[str, Any]) -> About:
    """Write the settings, the README and the manifest of a filled folder."""
    (folder / CONFIG).write_text(config.toml(settings), encoding="utf-8")
    (folder / README).write_text(readme(about), encoding="utf-8")
    sealed = replace(
        about,
        files={
            path.name: File(path.stat().st_size, sha256(path))
            for path in sorted(folder.iterdir())
            if path.name != MANIFEST
        },
        format=FORMAT,
        paraphrast=version("paraphrast"),
    )
    table = asdict(sealed)
    first = {"format": table.pop("format"), "paraphrast": table.pop("paraphrast")}
    text = config.toml(first | table)
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    return sealed


def changed(
    pack: Pack,
    folder: Path,
    *,
    about: About | None = None,
    settings: Mapping[str, Any] | None = None,
    added: Iterable[Path] = (),
) -> Pack:
    """Write a pack with other settings or scores, perhaps in the old one's place.

    Files that are ``added`` stand in for those of the same name.
    """
    here = folder.resolve() == pack.folder.resolve()
    if settings is None:
        settings = tomllib.loads((pack.folder / CONFIG).read_text("utf-8"))
    with new(folder, replacing=here) as filling:
        for name in pack.about.files:
            shutil.copyfile(pack.folder / name, filling / name)
        for path in added:
            shutil.copyfile(path, filling / path.name)
        about = seal(filling, about or pack.about, settings)
    return Pack(folder, about)


def read(folder: Path) -> Pack:
    """Return a pack whose files are all there and have their sizes."""
    path = folder / MANIFEST
    table = _table(path)
    _check_format(path, table)
    pack = Pack(folder, config.build(table, About, where=str(path)))
    for name, expected in pack.about.files.items():
        file = folder / name
        if Path(name).name != name or not file.is_file():
            raise _damaged(file, "is missing")
        if file.stat().st_size != expected.size:
            raise _damaged(file, "has another size than it was written with")
    return pack


def verify(folder: Path) -> Pack:
    """Return a pack once every file of it is found to be as it was written."""
    pack = read(folder)
    for name, expected in pack.about.files.items():
        if sha256(folder / name) != expected.sha256:
            raise _damaged(folder / name, "was changed")
    return pack


def styles(found: Iterable[Pack]) -> dict[str, str]:
    """Map each style that packs write to the line of the first that writes it."""
    lines: dict[str, str] = {}
    for pack in found:
        for style, line in pack.about.styles.items():
            lines.setdefault(style, line)
    return lines


def installed(home: Path, *, kind: str | None = None) -> list[Pack]:
    """Return the packs in a folder by name; one that cannot be read is left out."""
    found = []
    for path in sorted(_folder(home).glob(f"*/{MANIFEST}")):
        try:
            pack = read(path.parent)
        except ParaphrastError:
            continue
        if kind in (None, pack.about.kind):
            found.append(pack)
    return found


def find(name: str, home: Path) -> Pack:
    """Return the pack in the folder ``name``, or the one of that name in ``home``."""
    given, known = Path(name), _folder(home) / name
    if given.is_dir():
        return read(given)
    if known.is_dir():
        return read(known)
    if "/" in name:
        raise ParaphrastError(f"there is no pack at {name}. Check the folder.")
    raise unknown("pack", name, [pack.folder.name for pack in installed(home)])


def place(
    name: str, home: Path, *, instead: str = "Choose a word, or a folder with -o"
) -> Path:
    """Return the folder for a new pack of that name in ``home``."""
    if not name or Path(name).name != name or name.startswith("."):
        raise ParaphrastError(f"a pack cannot be named {name!r}. {instead}.")
    return _folder(home) / name


def readme(about: About) -> str:
    """Return what a pack says to people."""
    lines = [f"# {about.name}", "", f"A pack of paraphrast, made by `{about.kind}`."]
    lines += _section("Styles", [f"{n}: {line}" for n, line in about.styles.items()])
    lines += _section("Licences", about.licences)
    lines += _section(
        "Trained on", [f"{d.name} ({d.licence}), sha256 {d.sha256}" for d in about.data]
    )
    lines += _section("Evaluators that took part in training", about.evaluators)
    lines += _section(
        "Scores", [f"{s.name} {s.value:.2f} (`{s.signature}`)" for s in about.scores]
    )
    return "\n".join(lines) + "\n"


def sha256(path: Path) -> str:
    """Return the sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _section(title: str, items: Sequence[str]) -> list[str]:
    return ["", f"## {title}", "", *(f"- {item}" for item in items)] if items else []


def _folder(home: Path) -> Path:
    return home.expanduser()


def _put(filling: Path, folder: Path) -> None:
    """Move a filled folder to its place; an old pack leaves only once it is there."""
    if not (filling / MANIFEST).is_file():
        raise RuntimeError(f"{folder} was filled but not sealed")
    if not folder.exists() or not any(folder.iterdir()):
        filling.replace(folder)
        return
    old = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.old."))
    folder.replace(old)
    try:
        filling.replace(folder)
    except OSError:
        old.replace(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ParaphrastError(
            f"{path.parent} is not a pack: {MANIFEST} cannot be read "
            f"({error.strerror or error}). Check the folder."
        ) from error
    except ValueError as error:  # not TOML, or not even text
        raise _damaged(path, f"is not valid TOML ({error})") from error


def _check_format(path: Path, table: Mapping[str, Any]) -> None:
    found, wrote = table.get("format"), table.get("paraphrast")
    if found == FORMAT:
        return
    if isinstance(found, int) and isinstance(wrote, str):
        raise ParaphrastError(
            f"{path.parent}: pack format {found}, which paraphrast {wrote} reads; this "
            f"is paraphrast {version('paraphrast')}, which reads format {FORMAT}. "
            f"Install paraphrast {wrote}, or train the pack again."
        )
    raise _damaged(path, "does not say its format")


def _damaged(path: Path, what: str) -> ParaphrastError:
    return ParaphrastError(f"{path} {what}. Copy the pack anew, or train it again.")
