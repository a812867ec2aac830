"""Take pictures of Word documents before and after, as LibreOffice shows it.

Run    python -m docs.document_screenshots          those of docs/documents.md
       python -m docs.document_screenshots FOLDER   of all Word documents in examples

Needs LibreOffice Writer (``soffice``) and ``pdftoppm`` of poppler-utils. Look at the
pictures before they are committed.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import paraphrast

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
EXAMPLES = ROOT / "examples" / "documents"
SHOWN = ("letter", "minutes", "report")
RESOLUTION = 75  # dots per inch
# The part of a page that is shown, from its upper left corner.
LEFT, TOP, WIDTH, HEIGHT = 75, 25, 530, 440


def main() -> None:
    """Take the pictures."""
    everything = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    target = everything or IMAGES
    target.mkdir(exist_ok=True)
    formal = paraphrast.load("formal", using="rules")
    for source in sorted(EXAMPLES.glob("*.docx")):
        if everything is None and source.stem not in SHOWN:
            continue
        with TemporaryDirectory() as folder:
            versions = {name: Path(folder, f"{source.stem}-{name}.docx")
                        for name in ("before", "tracked", "after")}  # fmt: skip
            versions["before"].write_bytes(source.read_bytes())
            formal.rewrite_file(source, versions["after"])
            formal.rewrite_file(source, versions["tracked"], track_changes=True)
            for path in versions.values():
                shoot(path, target / path.stem, whole=everything is not None)


def shoot(path: Path, picture: Path, *, whole: bool) -> None:
    """Take a picture of the first page of a document, or of the upper part of it."""
    office = ("soffice", "--headless", "--convert-to", "pdf", "--outdir", path.parent)
    subprocess.run([*office, path], check=True, capture_output=True)
    part = [] if whole else ["-x", LEFT, "-y", TOP, "-W", WIDTH, "-H", HEIGHT]
    command = ["pdftoppm", "-png", "-singlefile", "-r", RESOLUTION, *part]
    command += [path.with_suffix(".pdf"), picture]
    subprocess.run([str(word) for word in command], check=True)


if __name__ == "__main__":
    main()
