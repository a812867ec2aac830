"""Build and check what an index takes: sdist, wheel and release notes.

Run    make release     (or python -m release.build)

1. Refuse a working tree with changes, or a version that CHANGELOG.md does not name.
2. Build the sdist, and the wheel from it, into ``dist/VERSION``.
3. Check their descriptions (twine) and sizes.
4. Install the wheel into a fresh environment and rewrite a sentence there.
5. Write the notes to ``dist/VERSION-notes.md``, with the SHA-256 of each file.

Nothing is uploaded; docs/releasing.md says how to go on.
"""

import hashlib
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

from release.notes import CHANGELOG, ROOT, ReleaseError, read_notes

LIMIT = 100 * 2**20  # bytes that PyPI takes for one file, its "100 MB"
SENTENCE = "gonna be late, soz"


def main() -> None:
    """Build a release of the version in pyproject.toml, or say why not."""
    try:
        release()
    except ReleaseError as error:
        sys.exit(f"error: {error}")


def release() -> None:
    """Take the steps above, in order."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    version: str = project["version"]
    refuse_changes(ROOT)
    notes = read_notes(version, CHANGELOG.read_text("utf-8"))
    folder = ROOT / "dist" / version
    files = build(folder)
    _run([sys.executable, "-m", "twine", "check", "--strict", *map(str, files)])
    for file in files:
        check_size(file)
    say(f"rewrites {SENTENCE!r} as {try_wheel(files[-1])!r}")
    target = folder.with_name(f"{version}-notes.md")
    target.write_text(notes + list_files(files), "utf-8")
    say(f"{folder.relative_to(ROOT)} and {target.relative_to(ROOT)} are ready")


def refuse_changes(folder: Path) -> None:
    """Refuse a working tree that is not what its commit says."""
    status = _run(["git", "status", "--porcelain"], cwd=folder).splitlines()
    if status:
        more = f" and {len(status) - 1} more" if len(status) > 1 else ""
        raise ReleaseError(
            f"uncommitted changes: {status[0][3:]}{more}. Commit or remove them."
        )


def build(folder: Path) -> list[Path]:
    """Return the sdist and the wheel of this tree, built into a new folder."""
    if folder.exists():
        raise ReleaseError(
            f"{folder.relative_to(ROOT)} already exists. Remove it, or raise the "
            "version in pyproject.toml."
        )
    say("builds the sdist, and the wheel from it")
    _run([sys.executable, "-m", "build", "--outdir", str(folder)], cwd=ROOT)
    files = [*folder.glob("*.tar.gz"), *folder.glob("*.whl")]
    if len(files) != 2:
        raise ReleaseError(f"{folder} should have one sdist and one wheel.")
    return files


def check_size(file: Path) -> None:
    """Refuse a file that an index would refuse for its size."""
    size = file.stat().st_size
    if size >= LIMIT:
        raise ReleaseError(
            f"{file.name} has {size / 2**20:.1f} MiB; an index takes less than "
            f"{LIMIT / 2**20:.0f}. Make what pyproject.toml packs smaller."
        )
    say(f"{file.name}: {size / 2**20:.1f} MiB")


def try_wheel(wheel: Path) -> str:
    """Return how the wheel, installed by itself, rewrites a sentence."""
    with tempfile.TemporaryDirectory() as folder:
        say("installs the wheel into a fresh environment")
        _run([sys.executable, "-m", "venv", folder])
        program = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin")
        pip = [str(program / "python"), "-m", "pip", "install", "--quiet"]
        _run([*pip, "--disable-pip-version-check", str(wheel)])
        words = [str(program / "paraphrast"), "rewrite", "--to", "formal", SENTENCE]
        text = _run(words, cwd=Path(folder)).strip()
    if not text or text == SENTENCE:
        raise ReleaseError(f"the installed wheel rewrites {SENTENCE!r} as {text!r}.")
    return text


def list_files(files: Sequence[Path]) -> str:
    """Return the table of files with sizes and hashes that ends the notes."""
    rows = [
        f"| {file.name} | {file.stat().st_size / 2**20:.1f} MiB "
        f"| {hashlib.sha256(file.read_bytes()).hexdigest()} |"
        for file in files
    ]
    return "\n".join(["\n| file | size | SHA-256 |", "|---|--:|---|", *rows, ""])


def say(what: str) -> None:
    """Tell of a step on standard error."""
    sys.stderr.write(f"release: {what}\n")


def _run(command: Sequence[str], *, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        output = (done.stdout + done.stderr).strip().splitlines()
        said = f": {output[-1]}" if output else ""
        raise ReleaseError(f"`{' '.join(command[:4])} …` failed{said}")
    return done.stdout


if __name__ == "__main__":
    main()
