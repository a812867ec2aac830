"""Release notes: what CHANGELOG.md says of one version.

Run    python -m release.notes 0.2.0     print them

A version's section begins with a heading that names it, as in
``## 0.2.0 (2026-12-01)``, and ends with the next one. Lines that were wrapped for the
file are joined, since the places where notes are published keep line breaks.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG = ROOT / "CHANGELOG.md"
STARTS_LINE = re.compile(r"(?:[-*+]|\d+[.)]|#+|\||```|$)(?:\s|$)|\|")


class ReleaseError(Exception):
    """A reason not to release, in one line that says what to do."""


def read_notes(version: str, changelog: str) -> str:
    """Return the section of a version, with a title and its paragraphs unwrapped."""
    sections = re.split(r"^## +", changelog, flags=re.M)[1:]
    named = {section.split(maxsplit=1)[0].strip("[]"): section for section in sections}
    if version not in named:
        raise ReleaseError(
            f"CHANGELOG.md has no section for {version}. Give what is under "
            f"'## Unreleased' the heading '## {version} (DATE)', and commit."
        )
    _, _, body = named[version].partition("\n")
    if not body.strip():
        raise ReleaseError(
            f"the section {version} of CHANGELOG.md is empty. Say what changed."
        )
    return f"# Paraphrast {version}\n\n{unwrap(body.strip())}\n"


def unwrap(text: str) -> str:
    """Join the lines of each paragraph and list item; leave code blocks alone."""
    lines: list[str] = []
    in_code = joins = False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        begins = in_code or fence or not line or STARTS_LINE.match(line.lstrip())
        if begins or not joins:
            lines.append(line)
        else:
            lines[-1] = f"{lines[-1]} {line.strip()}"
        in_code ^= fence
        joins = bool(line) and not in_code and not fence and line[0] not in "#|"
    return "\n".join(lines)


def main() -> None:
    """Print the notes of the version that the command line names."""
    if len(sys.argv) != 2:
        sys.exit("error: say which version: python -m release.notes 0.2.0")
    try:
        sys.stdout.write(read_notes(sys.argv[1], CHANGELOG.read_text("utf-8")))
    except ReleaseError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
