"""A pack: a sealed folder with a trained model and all that must be known of it.

``pack.toml`` says what the pack writes, what it was trained on (with sha256), which
evaluators took part in that, and what it scores. ``config.toml`` holds the settings of
the family that made it, ``README.md`` is for people, and the rest are its weights.
Packs lie where the caller says, in `HOME`, or in the package (`BUNDLED`).
"""

import hashlib
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from paraphrast import config
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.storage import sealed_folder
from paraphrast.storage.sealed_folder import File, Kind

KIND = Kind("pack", "pack.toml", (1,), "Re-download the pack, or train it again.")
CONFIG = "config.toml"
README = "README.md"
HOME = Path("~/.local/share/paraphrast/packs")
BUNDLED = Path(__file__).parents[1] / "neural" / "packs"  # in the package


@dataclass(frozen=True, slots=True)
class Data:
    """A text that a pack was trained on."""

    name: str
    sha256: str
    licence: str = "unknown"


def describe_files(paths: Iterable[Path], licence: str | None) -> list[Data]:
    """Return what a pack says of the files that it is trained on."""
    return [
        Data(path.name, sealed_folder.sha256(path), licence or "unknown")
        for path in paths
    ]


@dataclass(frozen=True, slots=True)
class Score:
    """A figure, and the signature that says how it was taken."""

    name: str
    value: float
    signature: str


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
    format: int = KIND.formats[-1]
    paraphrast: str = ""


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack on disk; passed on, so that its manifest is read once."""

    folder: Path
    about: About

    def settings(self, kind: type[config.Settings]) -> config.Settings:
        """Return the settings of the family that made the pack."""
        return config.load(self.folder / CONFIG, kind)

    @property
    def sha256(self) -> str:
        """Return a hash that changes with every file of the pack."""
        files = sorted((name, file.sha256) for name, file in self.about.files.items())
        return hashlib.sha256(repr(files).encode()).hexdigest()

    def require(self, kind: str) -> None:
        """Refuse a pack of another kind, or whose files are not as they were written.

        Each file is hashed once per process: see `sealed_folder.sha256`.
        """
        if self.about.kind != kind:
            raise ParaphrastError(
                f"{self.folder}: a pack of {self.about.kind!r}, not of {kind!r}. "
                "Choose another pack."
            )
        sealed_folder.verify(self.folder, KIND)


@contextmanager
def new(folder: Path, *, replacing: bool = False) -> Iterator[Path]:
    """Yield a folder to fill and `seal`; see `sealed_folder.new`."""
    with sealed_folder.new(folder, KIND, replacing=replacing) as filling:
        yield filling


def refuse_taken(folder: Path, *, replacing: bool = False) -> None:
    """Refuse an existing path that must not be overwritten."""
    sealed_folder.refuse_taken(folder, KIND, replacing=replacing)


def seal(folder: Path, about: About, settings: Mapping[str, Any]) -> About:
    """Write the settings, the README and the manifest of a filled folder."""
    (folder / CONFIG).write_text(config.toml(settings), encoding="utf-8")
    (folder / README).write_text(write_readme(about), encoding="utf-8")
    table = asdict(about)
    del table["format"], table["paraphrast"]
    sealed_folder.seal(folder, KIND, table)
    return read(folder).about


def update(
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
            (filling / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(pack.folder / name, filling / name)
        for path in added:
            shutil.copyfile(path, filling / path.name)
        about = seal(filling, about or pack.about, settings)
    return Pack(folder, about)


def read(folder: Path) -> Pack:
    """Return a pack whose files all exist and have their sizes."""
    return Pack(folder, _read_about(folder, sealed_folder.read(folder, KIND)))


def verify(folder: Path) -> Pack:
    """Return a pack once every file of it is found to be as it was written."""
    return Pack(folder, _read_about(folder, sealed_folder.verify(folder, KIND)))


def collect_styles(packs: Iterable[Pack]) -> dict[str, str]:
    """Map each style that packs write to the line of the first that writes it."""
    lines: dict[str, str] = {}
    for pack in packs:
        for style, line in pack.about.styles.items():
            lines.setdefault(style, line)
    return lines


def choose(packs: Sequence[Pack], style: str) -> Pack:
    """Return the pack named like the style, or else the first that writes it."""
    able = [pack for pack in packs if style in pack.about.styles]
    if not able:
        raise unknown("style", style, collect_styles(packs))
    return min(able, key=lambda pack: pack.folder.name != style)


def list_installed(home: Path, *, kind: str | None = None) -> list[Pack]:
    """Return the packs in a folder by name; one that cannot be read is left out."""
    result = []
    try:
        paths = sorted(_folder(home).glob(f"*/{KIND.manifest}"))
    except PermissionError:  # such as the home folder of somebody else
        return []
    for path in paths:
        try:
            pack = read(path.parent)
        except ParaphrastError:
            continue
        if kind in (None, pack.about.kind):
            result.append(pack)
    return result


def find(name: str, home: Path) -> Pack:
    """Return the pack in the folder ``name``, or of that name.

    The packs in ``home`` come before those that come with paraphrast.
    """
    for folder in (Path(name), _folder(home) / name, BUNDLED / name):
        if folder.is_dir():
            return read(folder)
    if "/" in name:
        raise ParaphrastError(f"no pack found at {name}. Check the folder.")
    here = (
        pack
        for packs_folder in (home, BUNDLED)
        for pack in list_installed(packs_folder)
    )
    raise unknown("pack", name, [pack.folder.name for pack in here])


def path_for(name: str, home: Path) -> Path:
    """Return the folder for a new pack of that name in ``home``."""
    if not name or Path(name).name != name or name.startswith("."):
        raise ParaphrastError(
            f"a pack cannot be named {name!r}. Choose a name of plain letters and "
            "digits."
        )
    return _folder(home) / name


def write_readme(about: About) -> str:
    """Return what a pack says to people."""
    lines = [f"# {about.name}", "", f"A pack of paraphrast, made by `{about.kind}`."]
    lines += _section("Styles", [f"{n}: {line}" for n, line in about.styles.items()])
    lines += _section("Licences", about.licences)
    lines += _section(
        "Trained on", [f"{d.name} ({d.licence}), sha256 {d.sha256}" for d in about.data]
    )
    lines += _section("Evaluators used in training", about.evaluators)
    lines += _section(
        "Scores", [f"{s.name} {s.value:.2f} (`{s.signature}`)" for s in about.scores]
    )
    return "\n".join(lines) + "\n"


def _section(title: str, items: Sequence[str]) -> list[str]:
    return ["", f"## {title}", "", *(f"- {item}" for item in items)] if items else []


def _folder(home: Path) -> Path:
    return home.expanduser()


def _read_about(folder: Path, table: Mapping[str, Any]) -> About:
    return config.build(table, About, where=str(folder / KIND.manifest))
