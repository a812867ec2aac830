"""The neural pack that comes with paraphrast, if this clone has it."""

from pathlib import Path

import pytest

import paraphrast
from paraphrast.errors import ParaphrastError
from paraphrast.instruct import fetching
from paraphrast.neural import family
from paraphrast.neural.candidates.checker import EncoderAlone
from paraphrast.neural.models import pack
from paraphrast.neural.models.generation import Candidate
from paraphrast.neural.styles import BUNDLED_STYLES
from paraphrast.rewriting.offers import in_every_style
from paraphrast.storage import packs

STYLES = {
    "bible", "concise", "conversation", "formal", "informal", "joyce", "plain",
    "poetry", "polite", "prose-1810", "prose-1890", "shakespeare", "simple", "tweet",
}  # fmt: skip
ROOT = Path(__file__).parents[1]
MOST_BYTES = 82_000_000  # in a wheel, which is compressed, less than 70
# What a company may use, and ship what was learnt from it.
FREE = {
    "Apache-2.0", "CC BY 2.0 FR", "CC BY 4.0", "CDLA-Sharing-1.0", "free to use",
    "public domain",
}  # fmt: skip
FOUND = packs.list_installed(packs.BUNDLED, kind=family.KIND)
pytestmark = [
    pytest.mark.bundled,
    pytest.mark.skipif(not FOUND, reason="this clone has no bundled neural pack"),
]


def rewritten(style, *texts):
    return paraphrast.load(style, using="neural").rewrite(list(texts))


def test_the_pack_is_complete_and_small_and_writes_every_style():
    pack = packs.verify(FOUND[0].folder)
    assert set(pack.about.styles) == STYLES == set(BUNDLED_STYLES)
    assert sum(file.size for file in pack.about.files.values()) <= MOST_BYTES
    assert not family.Neural().missing()


def assert_free(about):
    """Hold that a company may use a pack, and everything that it learnt from."""
    assert "weights: Apache-2.0, free for any use" in about.licences
    assert all("Apache-2.0" in licence for licence in about.licences)
    assert {
        data.name: data.licence for data in about.data if data.licence not in FREE
    } == {}
    assert all(len(data.sha256) == 64 for data in about.data)


def test_its_weights_are_free_for_any_use():
    about = FOUND[0].about
    assert_free(about)
    assert {"everyday", "tatoeba"} <= {data.name for data in about.data}


def test_the_weights_of_large_are_free_for_any_use_and_its_card_says_so():
    about = fetching.describe("large")
    assert_free(about)
    assert {file.licence for file in about.files} == {"Apache-2.0"}
    assert {data.name for data in about.data} == {
        f"everyday: {name}.jsonl" for name in ("texts", "documents", "rewrites")
    }
    card = (ROOT / "packs/large/README.md").read_text("utf-8")
    rows = [line for line in card.splitlines() if line.startswith("| everyday: ")]
    assert [
        (row.split()[2].rstrip(","), row.split("|")[2].strip()) for row in rows
    ] == [(data.name.removeprefix("everyday: "), data.licence) for data in about.data]


def test_it_writes_what_the_rules_do_unless_they_are_named():
    assert paraphrast.load("bible").family == "neural"
    assert paraphrast.load("formal").family == "neural"
    assert paraphrast.load("formal", using="rules").family == "rules"


@pytest.mark.parametrize("style", ["modern", "neutral"])
def test_a_removed_style_names_its_replacement(style):
    with pytest.raises(ParaphrastError, match=f"'{style}' was removed. Use 'plain'."):
        paraphrast.load(style)


@pytest.mark.parametrize("style", sorted(STYLES))
def test_every_style_answers_and_keeps_names_numbers_and_addresses(style):
    texts = [
        "Montague!",
        "Sarah told me that 12 of the men were late again.",
        "I do not know where you were last night, but your friends looked for you.",
        "i dont think ur gonna like it, the guys were kinda mad at me",
        "Thou art a knave, and I shall tell thy father of it.",
        "Send `run.py --all` to eve@example.org, or see https://example.org/a?b=1 now.",
    ]
    found = rewritten(style, *texts)
    assert "Montague" in found[0].text
    assert "Sarah" in found[1].text
    assert "12" in found[1].text
    for kept in ("`run.py --all`", "eve@example.org", "https://example.org/a?b=1"):
        assert kept in found[5].text
    assert any(r.text != t for r, t in zip(found, texts, strict=True))
    assert all(r.why or r.text != t for r, t in zip(found, texts, strict=True))


def test_laughter_does_not_prevent_a_rewrite_into_a_style_without_it():
    text = "forgive her if you can, just don't lend her the car again"
    laughing, plain = rewritten("shakespeare", f"{text} lol", f"{text}.")
    assert laughing.text == plain.text != f"{text}."


def test_thou_and_you():
    assert "thou" in rewritten("shakespeare", "You are a fool.")[0].text.lower()
    assert "you" in rewritten("plain", "Thou art a fool, I say.")[0].text.lower()


def test_verse_has_lines_and_a_passage_one_addressee():
    text = "You told me you would come. You did not come, and I waited for you."
    verse, play = (rewritten(style, text)[0].text for style in ("poetry", "bible"))
    assert "\n" in verse
    assert " / " not in verse
    assert not ({"you", "your"} & set(play.lower().split()))


def test_the_checker_recognises_texts_with_the_same_meaning():
    checker = pack.load_pack(FOUND[0].folder, "plain").checker
    source = "We will not come on Friday, because Anna is ill."
    texts = [
        "On Friday we won't come, as Anna is ill.",
        "On Friday we will come, as Anna is well.",
        "The trains to Lisbon are late again.",
    ]
    right, *wrong = checker.compute_logits([source] * 3, texts)
    assert right > 0 > max(wrong)
    alone = [checker.compute_logits([source], [text])[0] for text in texts]
    assert alone == pytest.approx([right, *wrong], abs=1e-6)
    candidates = [Candidate(text, -1.0, 1) for text in texts]
    chances = EncoderAlone(checker).score([source] * 3, candidates)
    assert chances[0] > 0.5 > max(chances[1:])


def test_texts_too_long_for_the_checker_are_read_in_part():
    checker = pack.load_pack(FOUND[0].folder, "plain").checker
    long = "It is late. " * 300
    same, other = checker.compute_logits([long, long], [long, "No."])
    assert same > other
    sure, unsure = (Candidate("Depart.", 4 * mean, 4) for mean in (-0.1, -3.0))
    scores = checker.score(["Go."] * 2, [sure, unsure])
    assert 1 > scores[0] > scores[1] > 0


def test_the_table_of_the_readme_is_what_make_try_shows():
    readme = (ROOT / "README.md").read_text("utf-8")
    rows = readme.split("<!-- styles:")[1].split("<!-- end of styles -->")[0]
    table = dict(
        [cell.strip() for cell in row.strip("|").split("|")]
        for row in rows.splitlines()
        if row.startswith("| ") and "*the sentence*" not in row
    )
    text = (ROOT / "examples/sentence.txt").read_text("utf-8").strip()
    assert f"| *the sentence* | {text} |" in readme
    # Models may word a row differently on another processor.
    assert table.keys() == {e.style for e in in_every_style(text) if e.text}
