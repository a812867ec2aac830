"""The open formality corpus: sources, splits without leaks, files, and the loader."""

import importlib
import json

import pytest
from typer.testing import CliRunner

from paraphrast.cli.corpora import app
from paraphrast.corpora import catalogue, formality
from paraphrast.corpora.formality import sources
from paraphrast.corpora.loaders import everyday
from paraphrast.corpora.loaders import formality as loader
from paraphrast.errors import ParaphrastError
from paraphrast.reproduce import Workspace

PAIRS = {
    "openrewriteeval/train.tsv": ["we got your note.\tWe have received your letter."],
    "openrewriteeval/tune.tsv": ["it goes up a lot.\tIt increases considerably."],
    "sentiment140-mturk/train.tsv": ["gonna be late lol\tI am going to be late."],
    "tatoeba-register/train.tsv": [
        "Thanks for the invite.\tThank you for the invitation.",
        "It goes up a lot!\tIt grows.",  # a line of tune or test
        "Same.\tSame.",
    ],
    "tatoeba-register/tune.tsv": ["He's in.\tHe is in the house."],
    "paradetox/formal-train.tsv": ["shut up now\tPlease be silent now."],
    "paradetox/formal-tune.tsv": ["thats dumb\tThat is not wise."],
    "nus-sms-norm/train.tsv": ["c u l8r ok\tI will see you later."],
    "nus-sms-norm/tune.tsv": ["wat time is it\tWhat time is it?"],
    "jfleg/fluency.tsv": ["He go home .\tHe goes home .\tHe went home ."],
}


@pytest.fixture
def folder(tmp_path):
    for name, lines in PAIRS.items():
        path = tmp_path / "sources" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return tmp_path / "sources"


@pytest.fixture(scope="module")
def whole():
    return catalogue.locate("everyday")


@pytest.fixture(scope="module")
def assembled(whole):
    return formality.assemble(whole)


@pytest.fixture(scope="module")
def texts(whole, tmp_path_factory):
    """Return a folder with every twentieth text of everyday, and its references."""
    folder = tmp_path_factory.mktemp("everyday")
    rows = (whole / "texts.jsonl").read_text("utf-8").splitlines()[::20]
    ids = {json.loads(row)["id"] for row in rows}
    references = (whole / "references.jsonl").read_text("utf-8").splitlines()
    kept = [row for row in references if json.loads(row)["id"] in ids]
    for name, lines in (("texts", rows), ("references", kept)):
        text = "".join(f"{line}\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    return folder


def sides(rows):
    return {text for row in rows for text in (row.text, *row.references)}


def test_everyday_keeps_its_splits_and_test_has_four_references(whole, assembled):
    judges = {t.id for t in everyday.read_texts(whole) if t.split == "judges"}
    for to in formality.STYLES:
        test = assembled.select(to, "test", source="everyday")
        assert {row.id for row in test} <= judges
        assert sum(len(row.references) == 4 for row in test) >= 250
        train, tune = (assembled.select(to, split) for split in ("train", "tune"))
        assert not sides(test) & sides(train)
        assert not sides(tune) & sides(train)
        assert len(train) > 9000


def test_a_plain_text_is_a_source_in_training_and_never_a_target(whole, assembled):
    text = next(t for t in everyday.read_texts(whole) if t.split == "train")
    for to in formality.STYLES:
        rows = assembled.select(to, "train")
        assert any(row.text == text.versions["plain"] for row in rows)
        assert text.versions["plain"] not in {row.references[0] for row in rows}


def test_every_row_says_its_source_licence_and_how_it_was_made(folder, texts):
    assembled = formality.assemble(texts, folder)
    known = {source.name: source for source in sources.ALL}
    assert {row.source for row in assembled.rows} == {
        *("everyday", "openrewriteeval", "sentiment140-mturk"),
        *("tatoeba-register", "paradetox"),
    }
    for row in assembled.rows:
        source = known[row.source]
        assert (row.licence, row.made) == (source.licence, source.made)
        assert row.domain in formality.DOMAINS
        assert not source.research


def test_research_only_sources_are_included_only_on_request(folder, texts):
    with_them = formality.assemble(texts, folder, research=True)
    assert len(with_them.select("formal", "train", source="jfleg")) == 1
    assert with_them.select("informal", "train", source="jfleg") == []
    assert len(with_them.select("formal", "train", source="nus-sms-norm")) == 1
    (row,) = with_them.select("formal", "train", source="jfleg")
    assert (row.text, row.references) == ("He go home.", ("He goes home.",))


def test_leaks_copies_and_repetitions_are_dropped_and_counted(folder, texts):
    path = folder / "tatoeba-register/train.tsv"
    path.write_text(path.read_text("utf-8") * 2, "utf-8")
    assembled = formality.assemble(texts, folder)
    alone = formality.assemble(texts).dropped
    gained = {reason: n - alone[reason] for reason, n in assembled.dropped.items()}
    assert list(gained.values()) == [0, 4, 2, 4]
    rows = assembled.select("formal", "train", source="tatoeba-register")
    assert [row.text for row in rows] == ["Thanks for the invite."]


def test_held_out_lines_keep_their_split_when_others_are_added(folder, texts):
    before = formality.assemble(texts, folder)
    path = folder / "paradetox/formal-tune.tsv"
    path.write_text("what a mess\tThis is untidy.\n" + path.read_text("utf-8"), "utf-8")
    after = formality.assemble(texts, folder)
    held = {r.id: r.split for r in before.rows if r.source == "paradetox"}
    assert held.items() <= {r.id: r.split for r in after.rows}.items()


def test_synthetic_pairs_are_for_training_and_labelled_as_such(tmp_path, texts):
    path = tmp_path / "synthetic.jsonl"
    row = {"source": "topical-chat-synthetic", "informal": "i luv jazz so much"}
    path.write_text(json.dumps(row | {"formal": "I am very fond of jazz."}) + "\n")
    assembled = formality.assemble(texts, synthetic=[path])
    (own,) = assembled.select("formal", "train", domain="entertainment")
    assert (own.made, own.references) == ("synthetic", ("I am very fond of jazz.",))
    for broken in ('{"source": "topical-chat-synthetic"}', "[]", "x"):
        path.write_text(broken + "\n")
        with pytest.raises(ParaphrastError, match=r"jsonl:1: expected source"):
            formality.assemble(texts, synthetic=[path])
    path.write_text(json.dumps(row | {"formal": "x", "source": "reddit"}) + "\n")
    with pytest.raises(ParaphrastError, match=r"jsonl:1: unknown source"):
        formality.assemble(texts, synthetic=[path])


def test_the_recipe_counts_synthetic_pairs_and_learns_from_none(
    folder, texts, tmp_path
):
    benchmark = importlib.import_module("recipes.gyafc.benchmark")
    pair = {"source": "goemotions-synthetic", "informal": "u r gonna love it"}
    row = pair | {"formal": "You are going to enjoy it."}
    (tmp_path / benchmark.SYNTHETIC).write_text(f"{json.dumps(row)}\n", "utf-8")
    paths = {"everyday": texts, "formality": folder}
    workspace = Workspace(paths, tmp_path, packs=tmp_path)
    corpus = benchmark.read_corpus(workspace)
    assert corpus.select("formal", "train", source="goemotions-synthetic")
    learned = benchmark.read_material(workspace, benchmark.OPEN, "formal").pairs
    assert pair["informal"] not in dict(learned)


def test_a_source_with_other_columns_is_one_line(folder, texts):
    (folder / "tatoeba-register/tune.tsv").write_text("a\tb\tc\n")
    with pytest.raises(ParaphrastError, match=r"tune\.tsv:1: expected informal"):
        formality.assemble(texts, folder)


def test_built_files_are_read_back_and_the_same_every_time(folder, texts, tmp_path):
    assembled = formality.assemble(texts, folder)
    written = []
    report = formality.build(assembled, tmp_path / "one", progress=written.append)
    again = formality.build(assembled, tmp_path / "two")
    assert report.sha256 == again.sha256
    assert sum(written) == len(assembled.rows)
    rows = formality.read_built(tmp_path / "one", "formal", "test")
    assert rows == assembled.select("formal", "test")
    about = json.loads((tmp_path / "one" / "about.json").read_text("utf-8"))
    assert about["sources"]["paradetox"]["licence"] == "CC0"
    with pytest.raises(ParaphrastError, match="corpora build formality"):
        formality.read_built(tmp_path / "none", "formal", "test")
    with pytest.raises(ParaphrastError, match="unknown split"):
        formality.read_built(tmp_path / "one", "formal", "dev")
    path = tmp_path / "one" / "to-formal" / "tune.jsonl"
    path.write_text("{}\n")
    with pytest.raises(ParaphrastError, match=r"tune\.jsonl:1: not a row"):
        formality.read_built(tmp_path / "one", "formal", "tune")


def test_the_command_builds_from_everyday_alone_and_says_so(tmp_path, monkeypatch):
    monkeypatch.delenv("PARAPHRAST_MIRROR", raising=False)
    monkeypatch.setattr(catalogue, "DEFAULT_CACHE", tmp_path / "cache")
    asked = ["build", "formality", "-o", str(tmp_path / "built")]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 0, result.output
    assert "From everyday alone" in result.output
    assert (tmp_path / "built/to-informal/test.jsonl").is_file()
    asked = [*asked, "--mirror", str(tmp_path)]
    refused = CliRunner().invoke(app, asked)
    assert isinstance(refused.exception, ParaphrastError)
    assert "lacks formality/" in str(refused.exception)


def test_parts_are_named_by_split_and_style(folder):
    pairs = list(loader.pairs_of(folder, "formality", "train:formal"))
    assert ("shut up now", "Please be silent now.") in {
        (pair.source, pair.target) for pair in pairs
    }
    for part in ("train", "dev:formal", "train:plain"):
        with pytest.raises(ParaphrastError, match="as in train:formal"):
            loader.pairs_of(folder, "formality", part)
    with pytest.raises(ParaphrastError, match="unknown text"):
        loader.texts_of(folder, "formality", "reddit")
