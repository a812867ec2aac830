"""Inside pandas, datasets and spaCy: order, index and missing values stay."""

import doctest
import importlib
import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import paraphrast
from paraphrast.adapters.texts import TextRewriter
from paraphrast.errors import ParaphrastError

ROOT = Path(__file__).parents[1]
RULES = {"to": "formal", "using": "rules"}
TEXTS = ["gonna be late, soz", None, "u ok?", "", "It is late."]
FORMAL = ["Going to be late, sorry.", None, "You ok?", "", "It is late."]
WHYS = ["", None, "", "it is empty", "no rule applies"]


def need(library):
    """Return an adapter and its library, or skip the test where it is not installed."""
    real = pytest.importorskip(library)
    return real, importlib.import_module(f"paraphrast.adapters.{library}")


class Counting:
    """A loaded rewriter that counts how often it is asked."""

    def __init__(self):
        self.sizes = []

    def rewrite(self, texts, *, seed, protect):
        self.sizes.append(len(texts))
        return [paraphrast.Rewrite(text.upper()) for text in texts]


def series(pandas, values, **more):
    return pandas.Series(values, index=[5, 3, 3, 1, 0], name="text", **more)


@pytest.mark.parametrize("dtype", [None, "string", "object", "category"])
def test_a_column_keeps_its_order_index_name_and_missing_values(dtype):
    pandas, _ = need("pandas")
    column = series(pandas, TEXTS, dtype=dtype)
    new = column.paraphrast.rewrite(**RULES)
    assert [None if pandas.isna(v) else v for v in new] == FORMAL
    assert list(new.index) == [5, 3, 3, 1, 0]
    assert new.name == "text"
    assert dtype == "category" or new.dtype == column.dtype


def test_a_column_can_be_explained():
    pandas, _ = need("pandas")
    table = series(pandas, TEXTS).paraphrast.explain(**RULES)
    assert list(table.columns) == ["rewrite", "why"]
    assert [None if pandas.isna(v) else v for v in table["why"]] == WHYS
    assert list(table.index) == [5, 3, 3, 1, 0]


def test_a_column_is_rewritten_at_once_by_a_rewriter_that_is_loaded():
    pandas, _ = need("pandas")
    counting = Counting()
    new = series(pandas, TEXTS).paraphrast.rewrite(counting)
    assert counting.sizes == [4]
    assert new.iloc[2] == "U OK?"
    formal = paraphrast.load("formal", using="rules")
    assert series(pandas, TEXTS).paraphrast.rewrite(formal).iloc[0] == FORMAL[0]


def test_empty_columns_and_columns_of_missing_values_stay():
    pandas, _ = need("pandas")
    assert pandas.Series([], dtype="string").paraphrast.rewrite(**RULES).empty
    missing = pandas.Series([None, float("nan"), pandas.NA, pandas.NaT], dtype=object)
    new = missing.paraphrast.rewrite(**RULES)
    assert all(a is b for a, b in zip(new, missing, strict=True))


def test_a_row_without_text_is_refused_by_number():
    with pytest.raises(ParaphrastError, match="row 1 is 5, which is not a string"):
        TextRewriter(**RULES).rewrite(["u ok?", 5])


def test_protected_terms_stay_in_a_column():
    pandas, _ = need("pandas")
    column = pandas.Series(["u gonna wait."])
    new = column.paraphrast.rewrite(**RULES, protect="gonna")
    assert new[0] == "You gonna wait."


@pytest.mark.parametrize("options", [{"batched": True}, {}, {"num_proc": 2}])
def test_a_rewritten_column_is_added_to_a_dataset(options, tmp_path):
    datasets, adapter = need("datasets")
    rows = datasets.Dataset.from_dict({"body": TEXTS})
    rewriter = adapter.ColumnRewriter(**RULES, column="body", into="new", why="why")
    new = rows.map(rewriter, keep_in_memory=True, **{"batched": True, **options})
    assert new["new"][:] == FORMAL
    assert new["why"][:] == WHYS
    assert new["body"][:] == TEXTS


def test_rows_of_a_dataset_may_come_one_by_one():
    datasets, adapter = need("datasets")
    rows = datasets.Dataset.from_dict({"text": TEXTS})
    new = rows.map(adapter.ColumnRewriter(**RULES), keep_in_memory=True)
    assert new["rewrite"][:] == FORMAL


def test_a_dataset_fingerprint_depends_only_on_the_settings():
    need("datasets")
    from datasets.fingerprint import Hasher

    from paraphrast.adapters.datasets import ColumnRewriter

    used = ColumnRewriter(**RULES)
    used({"text": ["u ok?"]})
    assert Hasher.hash(used) == Hasher.hash(ColumnRewriter(**RULES))
    assert Hasher.hash(used) != Hasher.hash(ColumnRewriter(**RULES, seed=2))
    assert Hasher.hash(used) != Hasher.hash(ColumnRewriter("informal", using="rules"))


def test_a_missing_dataset_column_is_named():
    from paraphrast.adapters.datasets import ColumnRewriter

    with pytest.raises(ParaphrastError, match="unknown column 'text'. Did you .*texts"):
        ColumnRewriter(**RULES)({"texts": ["u ok?"]})


def test_models_are_not_sent_to_other_processes():
    rewriter = TextRewriter(**RULES)
    rewriter.rewrite(["u ok?"])
    copy = pickle.loads(pickle.dumps(rewriter))
    assert "loaded" not in vars(copy)
    assert copy == rewriter
    assert copy.rewrite(TEXTS)[2].text == "You ok?"


def pipeline(*pipes, **settings):
    spacy, _ = need("spacy")
    nlp = spacy.blank("en")
    for name in pipes:
        nlp.add_pipe(name)
    nlp.add_pipe("paraphrast", config=RULES | settings)
    return nlp


def test_a_pipeline_rewrites_each_document():
    doc = pipeline()("gonna be late, soz. u ok?")
    assert doc.text == "gonna be late, soz. u ok?"
    assert doc._.rewrite == "Going to be late, sorry. You ok?"
    assert doc._.rewrite_why == ""
    assert pipeline()("It is late.")._.rewrite_why == "no rule applies"


def test_a_pipeline_can_rewrite_each_sentence():
    doc = pipeline("sentencizer", by="sentence")("gonna be late, soz. u ok?")
    assert [s._.rewrite for s in doc.sents] == ["Going to be late, sorry.", "You ok?"]
    assert doc._.rewrite is None


def test_a_stream_is_rewritten_in_batches_and_in_order():
    nlp = pipeline("sentencizer", by="sentence")
    component = nlp.get_pipe("paraphrast")
    vars(component.rewriter)["loaded"] = counting = Counting()
    docs = list(nlp.pipe(["one. two.", "", "three."] * 3, batch_size=4))
    shouted = [[s._.rewrite for s in doc.sents] for doc in docs]
    assert shouted == [["ONE.", "TWO."], [], ["THREE."]] * 3
    assert counting.sizes == [5, 3, 1]


def test_a_pipeline_and_its_documents_survive_serialization(tmp_path):
    spacy, _ = need("spacy")
    pipeline().to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    data = nlp("u ok?").to_bytes()
    assert spacy.tokens.Doc(nlp.vocab).from_bytes(data)._.rewrite == "You ok?"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"to": "formall"}, "Did you mean 'formal'"),
        ({"by": "word"}, "'document', 'sentence'"),
    ],
)
def test_an_error_in_a_pipeline_is_reported_when_it_is_built(settings, message):
    spacy, _ = need("spacy")
    with pytest.raises(Exception, match=message):
        pipeline(**settings)


def test_rewriting_by_sentence_requires_a_sentencizer():
    with pytest.raises(ParaphrastError, match="sentencizer"):
        pipeline(by="sentence")("u ok?")


def test_spacy_finds_the_component_by_its_name(tmp_path):
    need("spacy")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (name, value), *_ = project["entry-points"]["spacy_factories"].items()
    info = tmp_path / "toy-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: toy\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[spacy_factories]\n{name} = {value}\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import spacy; "
        f"nlp = spacy.blank('en'); nlp.add_pipe({name!r}, config={RULES!r}); "
        "print(nlp('u ok?')._.rewrite)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "You ok?\n"


@pytest.mark.parametrize("library", ["pandas", "spacy"])
def test_a_missing_library_is_named_in_one_line(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"paraphrast.adapters.{library}", raising=False)
    if library == "spacy":
        monkeypatch.setitem(sys.modules, "spacy.language", None)
    with pytest.raises(ParaphrastError) as caught:
        importlib.import_module(f"paraphrast.adapters.{library}")
    assert f"pip install 'paraphrast[{library}]'" in str(caught.value)
    assert "\n" not in str(caught.value)


def sessions():
    page = (ROOT / "docs/adapters.md").read_text("utf-8")
    for block in re.findall(r"```pycon\n(.*?)```", page, flags=re.DOTALL):
        library = re.search(r"^>>> (?:import|from) (\w+)", block).group(1)
        yield pytest.param(library, block, id=library)


@pytest.mark.parametrize(("library", "block"), list(sessions()))
def test_what_the_page_shows_is_what_python_prints(library, block):
    need(library)
    test = doctest.DocTestParser().get_doctest(block, {}, library, "adapters.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert (runner.summarize(verbose=False).failed, bool(test.examples)) == (0, True)
