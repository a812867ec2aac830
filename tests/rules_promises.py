"""Sentences to try the formality rules on, and what each of their rewrites promises."""

from hypothesis import strategies as st

from paraphrast.rewriter import Sentence
from paraphrast.rules import lexicon
from paraphrast.rules.edits import apply_changes, move_spans
from paraphrast.text.spans import Span

LISTS = lexicon.load()
_WORDS = st.one_of(
    st.sampled_from(sorted({entry.informal for entry in LISTS.entries})),
    st.sampled_from(sorted({f for entry in LISTS.entries for f in entry.formal})),
    st.sampled_from(sorted(LISTS.words)),
    st.sampled_from(sorted(LISTS.plain)[::7]),
    st.sampled_from(["SOOOO", "I", "i", "A", "NASA", "U", "don’t", "x2", "w/my", "4"]),
    st.sampled_from([",", "...", "!!", "?!", ".", " . ", "&", "@", "(", ")", '"', "'"]),
)
_PARTED = st.tuples(_WORDS, st.sampled_from([" ", " ", " ", "", "  ", "\n"]))
CHAT = st.lists(_PARTED, max_size=12).map(
    lambda parts: "".join(word + space for word, space in parts)
)


@st.composite
def sentences(draw, texts):
    """Draw a sentence with a few protected spans anywhere."""
    text = draw(texts)
    spans = []
    for _ in range(draw(st.integers(0, 3)) if text else 0):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start, min(len(text), start + 9)))
        kind = draw(st.sampled_from(["number", "term", "markdown", "url", "emoji"]))
        spans.append(Span(start, end, kind))
    return Sentence(text, tuple(spans))


def check_rewrite(sentence, rewrite):
    """Hold that the edits make the text, and that nothing protected is lost."""
    text = sentence.text
    assert apply_changes(text, rewrite.changes) == rewrite.text
    at = 0
    for change in rewrite.changes:
        assert at <= change.start <= change.end
        assert text[change.start : change.end] == change.before != change.after
        assert change.rule
        at = change.end
    assert (rewrite.why == "") == bool(rewrite.changes)
    assert rewrite.text.count("\n") == text.count("\n")
    at = 0
    for span, place in zip(*_followed(sentence, rewrite), strict=True):
        assert rewrite.text[place.start : place.end] == text[span.start : span.end]
        assert at <= place.start
        at = place.start


def check_settled(rewriter, sentence, *, seed):
    """Hold the promises for each alternative, and that the best one stays."""
    found = rewriter([sentence], alternatives=3, seed=seed)[0]
    assert 1 <= len(found) <= 3
    assert len({rewrite.text for rewrite in found}) == len(found)
    for rewrite in found:
        check_rewrite(sentence, rewrite)
    best = found[0]
    again = Sentence(best.text, tuple(_followed(sentence, best)[1]))
    assert rewriter([again], alternatives=1, seed=seed)[0][0].text == best.text


def _followed(sentence, rewrite):
    spans = sorted(span for span in sentence.protected if span.start < span.end)
    return spans, move_spans(spans, rewrite.changes)
