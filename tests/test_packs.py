"""Packs: whole or not at all, found by name, refused when not what they say."""

import hashlib
import tomllib
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paraphrast
from paraphrast import config
from paraphrast.errors import ParaphrastError
from paraphrast.storage import packs
from paraphrast.storage.packs import About, Data, Score

ABOUT = About(
    name="pirate",
    kind="echo",
    styles={"pirate": "talks like a pirate"},
    licences=("CC0-1.0",),
    evaluators=("ab" * 32,),
    data=(Data("ship's log", "cd" * 32, "CC0-1.0"),),
    scores=(Score("bleu", 31.5, "bleu|case:lower"),),
)


def written(folder: Path, *, replacing: bool = False, weights: bytes = b"arr") -> Path:
    with packs.new(folder, replacing=replacing) as filling:
        (filling / "weights").write_bytes(weights)
        packs.seal(filling, ABOUT, {"size": 3})
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_pack_is_read_as_it_was_written(tmp_path):
    pack = packs.read(written(tmp_path / "pirate"))
    assert names(pack.folder) == ["README.md", "config.toml", "pack.toml", "weights"]
    assert pack.about.data == ABOUT.data
    assert pack.about.scores == ABOUT.scores
    assert pack.about.evaluators == ABOUT.evaluators
    assert pack.about.files["weights"].size == 3
    assert (pack.folder / "config.toml").read_text() == "size = 3\n"
    assert "talks like a pirate" in (pack.folder / "README.md").read_text()
    assert packs.verify(pack.folder) == pack


def test_a_pack_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        with packs.new(tmp_path / "pirate") as filling:
            (filling / "weights").write_bytes(b"half")
            raise KeyboardInterrupt
    assert names(tmp_path) == []


def test_a_pack_in_the_way_is_refused_or_replaced_whole(tmp_path):
    folder = written(tmp_path / "pirate")
    with pytest.raises(ParaphrastError, match="already exists"):
        written(folder)
    with pytest.raises(ParaphrastError, match="another name, or add --replace"):
        packs.refuse_taken(folder)
    written(folder, replacing=True, weights=b"arrr")
    assert packs.verify(folder).about.files["weights"].size == 4
    assert names(tmp_path) == ["pirate"]


def test_a_folder_that_is_not_a_pack_is_never_replaced(tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("Dear all")
    with pytest.raises(ParaphrastError, match="not a pack, so it is not replaced"):
        written(tmp_path / "letters", replacing=True)
    assert names(tmp_path / "letters") == ["dear.txt"]


def test_nothing_is_replaced_unless_asked(tmp_path):
    folder = written(tmp_path / "pirate")
    with pytest.raises(ParaphrastError, match="already exists"), packs.new(folder):
        pass


def test_a_failed_replacement_keeps_the_old_pack(tmp_path):
    folder = written(tmp_path / "pirate")
    with pytest.raises(ValueError):
        with packs.new(folder, replacing=True):
            raise ValueError
    assert packs.verify(folder).about.files["weights"].size == 3
    assert names(tmp_path) == ["pirate"]


def test_reading_finds_missing_and_cut_files_and_verify_finds_changed_ones(tmp_path):
    weights = written(tmp_path / "pirate") / "weights"
    weights.write_bytes(b"brr")
    packs.read(weights.parent)
    with pytest.raises(ParaphrastError, match="weights was changed"):
        packs.verify(weights.parent)
    weights.write_bytes(b"b")
    with pytest.raises(ParaphrastError, match="has changed size"):
        packs.read(weights.parent)
    weights.unlink()
    with pytest.raises(ParaphrastError, match="weights is missing"):
        packs.read(weights.parent)


def test_an_unknown_format_names_the_version_that_reads_it(tmp_path):
    manifest = written(tmp_path / "pirate") / "pack.toml"
    manifest.write_text('format = 99\nparaphrast = "7.5"\nnew_key = 1\n')
    with pytest.raises(ParaphrastError, match=r"Install paraphrast 7\.5"):
        packs.read(manifest.parent)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "does not state its format"),
        (b"format = ", "not valid TOML"),
        (b"\xff\xfe", "not valid TOML"),
        (b"format = 1\n", "missing setting 'name'"),
    ],
)
def test_a_broken_manifest_is_one_line(tmp_path, content, complaint):
    (tmp_path / "pack.toml").write_bytes(content)
    with pytest.raises(ParaphrastError, match=complaint) as caught:
        packs.read(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_manifest_cannot_name_files_elsewhere(tmp_path):
    folder = written(tmp_path / "pirate")
    (tmp_path / "secret").write_bytes(b"arr")
    manifest = folder / "pack.toml"
    manifest.write_text(
        manifest.read_text().replace("[files.weights]", '[files."../secret"]')
    )
    with pytest.raises(ParaphrastError, match="missing"):
        packs.read(folder)


def test_packs_are_found_by_folder_and_by_name(tmp_path):
    written(tmp_path / "pirate")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "pack.toml").write_text("?")
    assert [p.about.name for p in packs.list_installed(tmp_path)] == ["pirate"]
    assert packs.list_installed(tmp_path, kind="phrase") == []
    assert packs.list_installed(tmp_path / "nowhere") == []
    found = packs.find(str(tmp_path / "pirate"), tmp_path / "nowhere")
    assert packs.find("pirate", tmp_path) == found
    with pytest.raises(ParaphrastError, match="Did you mean 'pirate'"):
        packs.find("pirat", tmp_path)


@pytest.mark.parametrize("name", ["", "a/b", "..", ".hidden"])
def test_a_pack_needs_a_plain_name(tmp_path, name):
    with pytest.raises(ParaphrastError, match="cannot be named"):
        packs.path_for(name, tmp_path)


def test_a_pack_takes_other_settings_in_its_own_place(tmp_path):
    pack = packs.read(written(tmp_path / "pirate"))
    packs.update(pack, pack.folder, settings={"size": 4})
    assert packs.verify(pack.folder).folder == pack.folder
    assert (pack.folder / "config.toml").read_text() == "size = 4\n"
    assert (pack.folder / "weights").read_bytes() == b"arr"


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SCALARS = st.one_of(
    TEXTS,
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
)
TABLES = st.recursive(
    st.dictionaries(TEXTS, SCALARS | st.lists(SCALARS, max_size=3), max_size=4),
    lambda inner: st.dictionaries(
        TEXTS,
        st.one_of(SCALARS, inner, st.lists(inner, min_size=1, max_size=3)),
        max_size=4,
    ),
    max_leaves=12,
)


@given(TABLES)
def test_written_toml_reads_back(table):
    assert tomllib.loads(config.toml(table)) == table


def test_the_hash_of_a_pack_changes_with_every_file(tmp_path):
    def make(name, text):
        with packs.new(tmp_path / name) as filling:
            (filling / "table.txt").write_text(text)
            packs.seal(filling, ABOUT, {})
        return packs.read(tmp_path / name)

    first, same, other = make("a", "x"), make("b", "x"), make("c", "y")
    assert first.sha256 == same.sha256 != other.sha256
    assert len(first.sha256) == 64


def test_the_readme_of_a_pack_names_its_evaluators():
    about = replace(ABOUT, evaluators=("the small judge",))
    text = packs.write_readme(about)
    assert "## Evaluators used in training\n\n- the small judge" in text


def test_a_pack_says_what_it_was_made_with(tmp_path):
    pack = packs.read(written(tmp_path / "pirate"))
    assert pack.about.format == 1
    assert pack.about.paraphrast == version("paraphrast")
    assert pack.about.name == "pirate"
    assert pack.about.kind == "echo"
    assert pack.about.styles == {"pirate": "talks like a pirate"}
    assert pack.about.licences == ("CC0-1.0",)
    assert sorted(pack.about.files) == ["README.md", "config.toml", "weights"]
    assert Data("a", "b").licence == "unknown"


def test_settings_are_read_into_the_dataclass_of_their_family(tmp_path):
    @dataclass
    class Size:
        size: int

    pack = packs.read(written(tmp_path / "pirate"))
    assert pack.settings(Size) == Size(3)


def test_a_pack_of_another_kind_or_with_changed_files_is_refused(tmp_path):
    pack = packs.read(written(tmp_path / "pirate"))
    pack.require("echo")
    with pytest.raises(ParaphrastError) as caught:
        pack.require("phrase")
    assert str(caught.value) == (
        f"{pack.folder}: a pack of 'echo', not of 'phrase'. Choose another pack."
    )
    other = packs.read(written(tmp_path / "other"))
    (other.folder / "weights").write_bytes(b"brr")
    with pytest.raises(ParaphrastError, match="weights was changed"):
        other.require("echo")


def test_a_changed_manifest_changes_neither_the_settings_nor_the_files(tmp_path):
    pack = packs.read(written(tmp_path / "pirate"))
    about = replace(pack.about, scores=(Score("chrf", 5.0, "chrf|x"),))
    copy = packs.update(pack, tmp_path / "copy", about=about)
    assert copy.folder == tmp_path / "copy"
    assert copy.about.scores == about.scores
    assert packs.verify(copy.folder).about == copy.about
    assert (copy.folder / "config.toml").read_text() == "size = 3\n"
    assert (copy.folder / "weights").read_bytes() == b"arr"
    assert packs.verify(pack.folder).about.scores == ABOUT.scores


def test_added_files_replace_those_of_the_same_name(tmp_path):
    pack = packs.read(written(tmp_path / "pirate"))
    (tmp_path / "weights").write_bytes(b"arrgh")
    (tmp_path / "extra").write_bytes(b"ho")
    added = [tmp_path / "weights", tmp_path / "extra"]
    copy = packs.update(pack, tmp_path / "copy", added=added)
    assert (copy.folder / "weights").read_bytes() == b"arrgh"
    assert copy.about.files["extra"].size == 2
    assert packs.verify(copy.folder).about == copy.about


def test_another_pack_is_not_overwritten(tmp_path):
    pack = packs.read(written(tmp_path / "pirate"))
    written(tmp_path / "parrot", weights=b"caw")
    with pytest.raises(ParaphrastError, match="already exists"):
        packs.update(pack, tmp_path / "parrot", settings={"size": 4})
    assert (tmp_path / "parrot" / "weights").read_bytes() == b"caw"
    # The same folder by another way is the pack's own.
    packs.update(pack, tmp_path / "parrot" / ".." / "pirate", settings={"size": 4})
    assert (pack.folder / "config.toml").read_text() == "size = 4\n"


def test_a_style_has_the_line_of_the_first_pack_that_writes_it(tmp_path):
    def pack(name, **styles):
        return packs.Pack(tmp_path / name, replace(ABOUT, name=name, styles=styles))

    made = [pack("a", x="first", y="why"), pack("b", z="last", x="second")]
    assert packs.collect_styles(made) == {"x": "first", "y": "why", "z": "last"}
    assert packs.collect_styles([]) == {}


def test_packs_are_listed_by_name_and_kind(tmp_path):
    for name in ("b", "a", "c"):
        written(tmp_path / name)
    (tmp_path / "no-pack").mkdir()
    listed = packs.list_installed(tmp_path)
    assert [pack.folder.name for pack in listed] == ["a", "b", "c"]
    assert packs.list_installed(tmp_path, kind="echo") == listed


def test_the_users_folder_may_begin_with_a_tilde(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    written(tmp_path / "mine" / "pirate")
    assert len(packs.list_installed(Path("~/mine"))) == 1
    assert packs.find("pirate", Path("~/mine")).about.name == "pirate"
    assert packs.path_for("new", Path("~/mine")) == tmp_path / "mine" / "new"


def test_a_missing_pack_says_where_to_look(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParaphrastError) as caught:
        packs.find("some/where", tmp_path)
    assert str(caught.value) == "no pack found at some/where. Check the folder."
    with pytest.raises(ParaphrastError, match="unknown pack 'where'. Known: none"):
        packs.find("where", tmp_path)


def test_a_folder_comes_before_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "pirate", weights=b"here!")
    written(tmp_path / "home" / "pirate")
    found = packs.find("pirate", tmp_path / "home")
    assert found.about.files["weights"].size == 5


def test_the_readme_of_a_pack_has_only_sections_with_content():
    assert packs.write_readme(ABOUT).splitlines() == [
        "# pirate",
        "",
        "A pack of paraphrast, made by `echo`.",
        "",
        "## Styles",
        "",
        "- pirate: talks like a pirate",
        "",
        "## Licences",
        "",
        "- CC0-1.0",
        "",
        "## Trained on",
        "",
        f"- ship's log (CC0-1.0), sha256 {'cd' * 32}",
        "",
        "## Evaluators used in training",
        "",
        f"- {'ab' * 32}",
        "",
        "## Scores",
        "",
        "- bleu 31.50 (`bleu|case:lower`)",
    ]
    bare = packs.write_readme(About("a", "echo", {}))
    assert bare == "# a\n\nA pack of paraphrast, made by `echo`.\n"


def test_a_pack_says_which_files_it_is_made_from(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_bytes(b"ahoy\n")
    digest = hashlib.sha256(b"ahoy\n").hexdigest()
    expected = [Data("texts.txt", digest, "CC0-1.0")]
    assert packs.describe_files([path], "CC0-1.0") == expected
    assert packs.describe_files([path], None)[0].licence == "unknown"


def test_files_in_subfolders_of_a_pack_are_included(tmp_path):
    with packs.new(tmp_path / "pirate") as filling:
        (filling / "checker").mkdir()
        (filling / "checker" / "weights").write_bytes(b"w")
        packs.seal(filling, ABOUT, {"size": 3})
    pack = packs.update(packs.read(tmp_path / "pirate"), tmp_path / "other")
    assert (pack.folder / "checker" / "weights").read_bytes() == b"w"


def test_a_style_that_no_pack_writes_is_unknown(tmp_path):
    pack = packs.read(written(tmp_path / "pirate"))
    with pytest.raises(ParaphrastError, match="Did you mean 'pirate'"):
        packs.choose([pack], "pirat")


def test_the_pack_named_like_the_style_is_chosen_before_the_first(tmp_path):
    first, second = (packs.read(written(tmp_path / n)) for n in ("both", "pirate"))
    assert packs.choose([first, second], "pirate") == second
    assert packs.choose([first], "pirate") == first


@pytest.mark.bundled
def test_the_pack_of_the_wheel_lies_in_the_package():
    assert Path(paraphrast.__file__).parent / "neural" / "packs" == packs.BUNDLED


def test_a_folder_that_is_filled_but_not_sealed_does_not_appear(tmp_path):
    with pytest.raises(RuntimeError, match="filled but not sealed"):
        with packs.new(tmp_path / "pirate") as filling:
            (filling / "weights").write_bytes(b"arr")
    assert names(tmp_path) == []


def test_an_unreadable_folder_has_no_packs(tmp_path, monkeypatch):
    def refuse(folder, pattern):
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(Path, "glob", refuse)
    assert packs.list_installed(tmp_path) == []
