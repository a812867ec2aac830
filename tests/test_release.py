"""Release notes come from the changelog, and a bad state is refused in one line."""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from release import build, notes
from release.notes import ReleaseError, read_notes, unwrap

ROOT = Path(__file__).parents[1]
CHANGELOG = """# Changelog

## Unreleased

- Not yet.

## 0.2.0 (2026-12-01)

- **Sites**: the first line goes
  on here.
- Another.

## [0.1.0]

The first.

## 0.0.1
"""


def test_the_notes_of_a_version_are_its_section_alone():
    assert read_notes("0.2.0", CHANGELOG) == (
        "# Paraphrast 0.2.0\n\n- **Sites**: the first line goes on here.\n- Another.\n"
    )
    assert read_notes("0.1.0", CHANGELOG) == "# Paraphrast 0.1.0\n\nThe first.\n"


def test_changelog_entries_are_short_and_unique():
    text = notes.CHANGELOG.read_text("utf-8")
    blocks = [block.strip() for block in re.split(r"\n(?=- |\n)", text)]
    entries = [block for block in blocks if block.startswith("- ")]
    assert len(entries) == len(set(entries))
    # A merge has brought back the long entries that these replaced, in bold.
    assert not [e for e in entries if e.startswith("- **") or e.count("\n") > 4]


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("0.2", r"no section for 0\.2\. .*'## 0\.2 \(DATE\)'"),
        ("0.3.0", "no section for 0.3.0"),
        ("0.0.1", "section 0.0.1 of CHANGELOG.md is empty"),
    ],
)
def test_a_version_without_notes_is_refused(version, message):
    with pytest.raises(ReleaseError, match=message) as error:
        read_notes(version, CHANGELOG)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "One.\n\nTwo.",
        "- a\n- b\n    - c",
        "1. a\n2. b",
        "| a |\n|---|\n| b |",
        "# Title\nText",
        "```\na\nb\n```\nText",
    ],
)
def test_a_marker_at_the_start_of_a_line_stays_on_its_line(text):
    assert unwrap(text) == text


def test_wrapped_lines_are_joined():
    assert unwrap("- a\n  b\n\nc\nd\n```\ne\nf\n```") == "- a b\n\nc d\n```\ne\nf\n```"


def test_the_notes_of_our_own_changelog_lose_no_word():
    text = notes.CHANGELOG.read_text("utf-8")
    body = text.partition("## Unreleased\n")[2].partition("\n## ")[0]
    if body.strip():
        printed = read_notes("Unreleased", text)
        assert printed.split()[3:] == body.split()


def test_the_command_prints_notes_or_one_line():
    words = [sys.executable, "-m", "release.notes", "9.9.9"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: CHANGELOG.md has no section for 9.9.9")
    assert done.stderr.count("\n") == 1


def git(folder, *words):
    settings = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", *settings, *words], cwd=folder, check=True)


def test_a_changed_tree_is_refused(tmp_path):
    git(tmp_path, "init", "--quiet")
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(ReleaseError, match=r"changes: a\.txt\. Commit"):
        build.refuse_changes(tmp_path)
    git(tmp_path, "add", "a.txt")
    git(tmp_path, "commit", "--quiet", "--message", "a")
    build.refuse_changes(tmp_path)
    (tmp_path / "a.txt").write_text("b")
    (tmp_path / "b.txt").write_text("b")
    with pytest.raises(ReleaseError, match=r"changes: a\.txt and 1 more\. Commit"):
        build.refuse_changes(tmp_path)


def test_a_file_that_an_index_would_refuse_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "a.whl"
    file.write_bytes(bytes(1000))
    build.check_size(file)
    monkeypatch.setattr(build, "LIMIT", 1000)
    with pytest.raises(ReleaseError, match=r"a\.whl has 0\.0 MiB"):
        build.check_size(file)


def test_a_version_that_was_built_before_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "ROOT", tmp_path)
    (tmp_path / "dist/0.2.0").mkdir(parents=True)
    with pytest.raises(ReleaseError, match=r"dist/0\.2\.0 already exists"):
        build.build(tmp_path / "dist/0.2.0")


def test_a_command_that_fails_is_named_with_its_last_line():
    with pytest.raises(ReleaseError, match=r"failed: .*no_such_module"):
        build._run([sys.executable, "-m", "no_such_module"])


def test_files_are_listed_with_their_hashes(tmp_path):
    file = tmp_path / "a.whl"
    file.write_bytes(b"wheel")
    digest = hashlib.sha256(b"wheel").hexdigest()
    assert f"| a.whl | 0.0 MiB | {digest} |" in build.list_files([file])


@pytest.mark.parametrize(("name", "extra"), [("release", "release"), ("site", "docs")])
def test_release_and_site_install_an_extra_without_the_package(name, extra):
    words = ["make", "--dry-run", "--always-make", name]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"['optional-dependencies']['{extra}']" in done.stdout
    assert "--editable" not in done.stdout
