"""Which answers of a rewriter are used, in which order, and what is reported."""

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Change, Kept, Rewrite
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.rewriting.interface import Reading


def made(function, **options):
    return DocumentRewriter(function, style="loud", family="test", **options)


def offering(*answers):
    """Return a rewriter that offers the same answers for every sentence."""

    def rewrite(sentences, *, alternatives, seed):
        return [list(answers)[:alternatives] for _ in sentences]

    return rewrite


def from_table(**answers):
    """Return a rewriter that answers by the first word of a sentence."""

    def rewrite(sentences, *, alternatives, seed):
        return [answers[s.text.split()[0].strip(".")][:alternatives] for s in sentences]

    return rewrite


class Settable:
    """A rewriter with everything that can be set; it says how it is set."""

    def __init__(self, mark="as made"):
        self.mark = mark

    def __call__(self, sentences, *, alternatives, seed):
        return [[Rewrite(f"{self.mark} {seed}")] for _ in sentences]

    def adjusted(self, *, strength):
        return Settable(f"strength {strength}")

    def unfiltered(self):
        return Settable("unfiltered")

    def without_guards(self, names):
        return Settable(f"without {' and '.join(names)}")


def test_settings_reach_the_rewriter_and_the_rest_stays():
    whole = made(Settable(), min_meaning=0.5)
    for changed, mark in (
        (whole.adjusted(strength=0.25), "strength 0.25"),
        (whole.unfiltered(), "unfiltered"),
        (whole.without_guards(["names", "loops"]), "without names and loops"),
    ):
        assert changed.rewrite("go").text == f"{mark} 1"
        assert (changed.style, changed.family) == ("loud", "test")
        assert changed.min_meaning == 0.5
    assert whole.rewrite("go", seed=7).text == "as made 7"


def test_unsupported_settings_are_refused_except_a_missing_filter():
    plain = made(offering(Rewrite("x")))
    assert plain.unfiltered() == plain
    with pytest.raises(ParaphrastError, match="'test' does not support strength"):
        plain.adjusted(strength=1)
    with pytest.raises(ParaphrastError, match="'test' has no guards"):
        plain.without_guards(["names"])


def test_the_usual_seed_is_one_everywhere(tmp_path):
    whole = made(Settable())
    bits = []
    whole.stream("go", bits.append)
    texts = [whole.rewrite("go"), whole.alternatives(["go"], 1)[0][0], *bits]
    assert [rewrite.text for rewrite in texts] == ["as made 1"] * 3
    file = tmp_path / "go.md"
    file.write_text("go")
    (rewrite,) = whole.rewrite_file(file, tmp_path / "gone.md")
    assert rewrite.text == "as made 1"
    whole.stream("go", bits.append, seed=3)
    assert bits[-1].text == "as made 3"
    assert whole.alternatives(["go"], 1, seed=3)[0][0].text == "as made 3"


def test_markdown_and_headings_are_read_as_such_only_if_asked():
    loud = made(lambda given, **_: [[Rewrite(s.text.upper())] for s in given])
    text = "# u go\n\n```\nu go\n```\n"
    as_markdown = "# u go\n\n```\nu go\n```\n"
    assert loud.rewrite(text).text == "# u go\n\n```\nU GO\n```\n"
    assert loud.rewrite(text, markdown=True).text == as_markdown
    assert loud.rewrite(text, headings=True).text == text.upper()
    bits = []
    loud.stream(text, bits.append, reading=Reading(markdown=True))
    assert "".join(bit.text for bit in bits) == as_markdown


def test_the_first_alternative_equals_a_single_rewrite():
    # Asked for more, this rewriter would put another answer first.
    def moody(sentences, *, alternatives, seed):
        options = [Rewrite("B", 0.9), Rewrite("A", 0.5), Rewrite("C", 0.1)]
        one = [Rewrite("A", 0.2)]
        return [(one if alternatives == 1 else options)[:alternatives]]

    whole = made(moody)
    results = whole.rewrite("go", n=3)
    assert [rewrite.text for rewrite in results] == ["A", "B", "C"]
    assert results[0].text == whole.rewrite("go").text
    assert results[0].score == 0.9  # not below those that come after it
    assert [rewrite.text for rewrite in whole.rewrite("go", n=2)] == ["A", "B"]


def test_a_better_score_of_the_first_is_not_lowered():
    def proud(sentences, *, alternatives, seed):
        return [[Rewrite("A", 0.8), Rewrite("B", 0.3)][:alternatives]]

    assert [r.score for r in made(proud).rewrite("go", n=2)] == [0.8, 0.3]


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("call 55 now", "555"),
        ("call 556 or 555", "556"),  # another order
        ("call 555", "556"),
    ],
)
def test_protected_spans_must_all_be_there_in_their_order(text, lost):
    rewrite = made(offering(Rewrite(text))).rewrite("call 555 or 556 now")
    assert rewrite.text == "call 555 or 556 now"
    assert rewrite.why == f"all candidates lost {lost!r}"


def test_a_span_that_stands_twice_must_come_back_twice():
    once, twice = Rewrite("CALL 555!"), Rewrite("CALL 555, 555!")
    source = "call 555, really 555"
    assert made(offering(once)).rewrite(source).why == "all candidates lost '555'"
    assert made(offering(twice)).rewrite(source).text == "CALL 555, 555!"


def test_an_alternative_that_keeps_the_spans_stands_in_for_one_that_does_not():
    options = offering(Rewrite("call", 2), Rewrite("ring 555", 1))
    results = made(options).rewrite("call 555", n=2)
    assert [rewrite.text for rewrite in results] == ["ring 555"]


def test_a_rewriter_without_an_answer_lost_everything():
    rewrite = made(offering()).rewrite("go")
    assert (rewrite.text, rewrite.why) == ("go", "all candidates lost 'everything'")


def test_a_user_error_of_the_rewriter_is_not_swallowed():
    def strict(sentences, *, alternatives, seed):
        raise ParaphrastError("the pack is damaged. Re-download the pack.")

    with pytest.raises(ParaphrastError, match="pack is damaged"):
        made(strict).rewrite(["a", "b"])


def test_each_failing_sentence_says_what_failed_for_every_alternative():
    def fragile(sentences, *, alternatives, seed):
        return [[Rewrite(s.text.upper()), Rewrite(1 / 0)][:1] for s in sentences]

    rewrite = made(fragile).rewrite("go", n=2)
    assert [r.text for r in rewrite] == ["go"]
    assert rewrite[0].why == "the rewriter failed: ZeroDivisionError: division by zero"
    assert rewrite[0].kept == (Kept("go", rewrite[0].why),)


def test_changes_are_found_where_a_rewriter_names_none():
    change = Change(0, 2, "go", "GO", "capitals")
    named = made(offering(Rewrite("GO", changes=(change,)))).rewrite("go")
    assert named.changes == (change,)
    unnamed = made(offering(Rewrite("GO"))).rewrite("go")
    assert unnamed.changes == (Change(0, 2, "go", "GO", "test"),)


def test_only_sentences_that_stayed_with_a_reason_are_listed_as_kept():
    answers = from_table(
        One=[Rewrite("ONE.")],
        Two=[Rewrite("Two.", why="too hard")],
        Three=[Rewrite("Three.")],
    )
    rewrite = made(answers).rewrite("One. Two. Three.")
    assert rewrite.text == "ONE. Two. Three."
    assert rewrite.kept == (Kept("Two.", "too hard"),)
    assert rewrite.why == ""


def test_the_most_frequent_reason_is_given_for_the_text():
    answers = from_table(
        One=[Rewrite("One.", why="too short")],
        Two=[Rewrite("Two.", why="too hard")],
        Three=[Rewrite("Three.", why="too hard")],
    )
    assert made(answers).rewrite("One. Two. Three.").why == "too hard"
    assert made(answers).rewrite("One. Two.").why == "too short"  # the first of equals


def test_a_text_without_reasons_needed_no_change():
    assert made(offering(Rewrite("Go."))).rewrite("Go.").why == "no change was needed"


def scoring(**scores):
    """Return a judge of meaning that knows texts, and notes what it was asked."""
    asked = []

    def score(sources, texts):
        asked.append((list(sources), list(texts)))
        return [scores[text] for text in texts]

    return score, asked


def test_a_rewrite_may_score_just_as_low_as_allowed():
    score, asked = scoring(far=0.5, near=0.75)
    options = offering(Rewrite("far", 2), Rewrite("near", 1), Rewrite("go", 0))
    for lowest, texts in ((0.5, ["far", "near", "go"]), (0.51, ["near", "go"])):
        whole = made(options, meaning=score, min_meaning=lowest)
        results = whole.rewrite("go", n=3)
        assert [rewrite.text for rewrite in results] == texts
    # The source itself is not asked about.
    assert asked[0] == (["go", "go"], ["far", "near"])


def test_a_sentence_whose_rewrites_all_score_too_low_stays():
    score, _ = scoring(far=0.25, further=0.125)
    options = offering(Rewrite("further", 2, guards=("names",)), Rewrite("far", 1))
    whole = made(options, meaning=score, min_meaning=0.5)
    (rewrite,) = whole.rewrite("go", n=2)
    why = "its meaning score 0.25 is below 0.5"
    assert rewrite == Rewrite("go", why=why, guards=("names",), kept=(Kept("go", why),))


def test_unchanged_texts_are_not_checked():
    score, asked = scoring()
    whole = made(offering(Rewrite("go")), meaning=score, min_meaning=0.5)
    assert whole.rewrite(["go", ""])[0].text == "go"
    assert asked == []


def test_without_a_judge_of_meaning_nothing_is_refused():
    assert made(offering(Rewrite("far")), min_meaning=1.0).rewrite("go").text == "far"


def test_changes_of_later_sentences_point_into_the_text():
    text = "Go on. Go on.\n\nGo on."
    rewrite = made(offering(Rewrite("Went."))).rewrite(text)
    assert [(c.start, c.end) for c in rewrite.changes] == [(0, 5), (7, 12), (15, 20)]
    assert all(text[c.start : c.end] == c.before for c in rewrite.changes)


def test_streamed_batches_double_up_to_the_largest():
    sizes = []

    def noting(sentences, *, alternatives, seed):
        sizes.append((len(sentences), alternatives))
        return [[Rewrite(s.text)] for s in sentences]

    made(noting).stream("Go on. " * 1600, lambda bit: None)
    assert sizes == [(n, 1) for n in (32, 64, 128, 256, 512, 512, 96)]


def test_a_stream_includes_text_between_sentences():
    bits = []
    made(offering(Rewrite("X."))).stream("- a\n\nGo on. Stay.\n", bits.append)
    assert [bit.text for bit in bits] == ["- a\n\n", "X.", " ", "X.", "\n"]


def test_sections_come_with_their_alternatives_and_their_own_changes():
    whole = made(offering(Rewrite("Stop it.", 2.0), Rewrite("Halt.", 1.0)))
    found = list(whole.sections("- a\n\nGo on. Stay.\n", 2))
    assert "".join(section.text for section, _ in found) == "- a\n\nGo on. Stay.\n"
    texts = [[option.text for option in options] for _, options in found]
    assert texts[-4:] == [["Stop it.", "Halt."], [" "], ["Stop it.", "Halt."], ["\n"]]
    change = found[-2][1][1].changes[0]
    assert (change.start, change.end, change.after) == (0, 4, "Halt")


def test_the_first_batch_is_as_small_as_asked():
    sizes = []

    def noting(sentences, *, alternatives, seed):
        sizes.append(len(sentences))
        return [[Rewrite("X.")] for _ in sentences]

    list(made(noting).sections("Go on. " * 9, 1, first=2))
    assert sizes == [2, 4, 3]
