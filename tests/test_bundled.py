"""The neural pack that comes with paraphrast, if this clone has it."""

from pathlib import Path

import pytest

import paraphrast
from paraphrast.neural import family
from paraphrast.rewriting.offers import in_every_style
from paraphrast.storage import packs

STYLES = {
    "bible", "conversation", "formal", "informal", "joyce", "modern", "poetry",
    "prose-1810", "prose-1890", "shakespeare", "tweet",
}  # fmt: skip
MOST_BYTES = 70_000_000
FOUND = packs.list_installed(family.BUNDLED, kind=family.KIND)
pytestmark = [
    pytest.mark.bundled,
    pytest.mark.skipif(not FOUND, reason="this clone has no bundled neural pack"),
]


def rewritten(style, *texts):
    return paraphrast.load(style, using="neural").rewrite(list(texts))


def test_it_is_whole_small_and_writes_every_style():
    pack = packs.verify(FOUND[0].folder)
    assert set(pack.about.styles) >= STYLES
    assert sum(file.size for file in pack.about.files.values()) <= MOST_BYTES
    assert pack.about.licences
    assert not family.Neural().missing()


def test_it_writes_what_the_rules_do_not_unless_it_is_named():
    assert paraphrast.load("bible").family == "neural"
    assert paraphrast.load("formal").family == "rules"
    assert paraphrast.load("formal", using="neural").family == "neural"


@pytest.mark.parametrize("style", sorted(STYLES))
def test_every_style_answers_and_keeps_names_and_numbers(style):
    texts = [
        "Montague!",
        "Sarah told me that 12 of the men were late again.",
        "I do not know where you were last night, but your friends looked for you.",
        "i dont think ur gonna like it, the guys were kinda mad at me",
        "Thou art a knave, and I shall tell thy father of it.",
    ]
    found = rewritten(style, *texts)
    assert "Montague" in found[0].text
    assert "Sarah" in found[1].text
    assert "12" in found[1].text
    assert any(r.text != t for r, t in zip(found, texts, strict=True))
    assert all(r.why or r.text != t for r, t in zip(found, texts, strict=True))


def test_thou_and_you():
    assert "thou" in rewritten("shakespeare", "You are a fool.")[0].text.lower()
    assert "you" in rewritten("modern", "Thou art a fool, I say.")[0].text.lower()


def test_the_table_of_the_readme_is_what_make_try_shows():
    root = Path(__file__).parents[1]
    readme = (root / "README.md").read_text("utf-8")
    rows = readme.split("<!-- styles:")[1].split("<!-- end of styles -->")[0]
    table = dict(
        [cell.strip() for cell in row.strip("|").split("|")]
        for row in rows.splitlines()
        if row.startswith("| ") and "*the sentence*" not in row
    )
    text = (root / "examples/sentence.txt").read_text("utf-8").strip()
    assert f"| *the sentence* | {text} |" in readme
    shown = {e.style: e for e in in_every_style(text) if e.text}
    assert table.keys() == shown.keys()
    # Models may word a row differently on another processor; rules may not.
    for style in ("formal", "informal"):
        assert table[style] == shown[style].text
