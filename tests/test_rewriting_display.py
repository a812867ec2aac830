"""What people see of a rewrite: tables, reasons, steps, diffs and ratings."""

import pytest
from rich.console import Console

from paraphrast.rewriter import Change, Kept, Rewrite
from paraphrast.rewriting import display
from paraphrast.rewriting.ratings import Rating, rate_with

SOURCE = "I am late.\n\nThe bus broke down."


def render(renderable, width=60):
    console = Console(width=width, record=True, file=None, force_terminal=False)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def marked(text):
    """Return the words of a text that are marked, with their style."""
    return [(text.plain[span.start : span.end], span.style) for span in text.spans]


def test_paragraphs_stand_side_by_side_and_changes_are_marked():
    rewrite = Rewrite("I shall be late.\n\nThe bus gave out.")
    shown = render(display.show_side_by_side([(SOURCE, rewrite)], style="prose-1890"))
    assert "source" in shown
    assert "prose-1890" in shown
    rows = [line for line in shown.splitlines() if "late." in line or "bus" in line]
    assert len(rows) == 2
    assert rows[0].index("I am late.") < rows[0].index("I shall be late.")
    assert shown.count("├") == 1  # a line between the rows


def test_an_empty_paragraph_gets_no_row():
    table = display.show_side_by_side([("\n\nGo.", Rewrite("\n\nGone."))], style="x")
    assert table.row_count == 1


def test_texts_of_other_paragraphs_are_compared_whole():
    rewrite = Rewrite("I am late: the bus broke down.")
    assert display.show_side_by_side([(SOURCE, rewrite)], style="x").row_count == 1


def test_every_change_is_marked_on_its_own_side():
    before, after = display._mark("I am so late now", "I was very late just now")
    assert marked(before) == [("am so", "bold yellow")]
    assert marked(after) == [("was very", "bold green"), ("just ", "bold green")]


def test_an_explanation_lists_changes_reasons_and_guards():
    changes = (
        Change(0, 1, "u", "you", "chat spelling"),
        Change(2, 2, "", " are", "verb"),
        Change(5, 6, " ", "", "spaces"),
    )
    changed = Rewrite("you are", changes=changes, guards=("names", "negation"))
    kept = Rewrite("u r. Go.", kept=(Kept("Go.", "no rule applies"),))
    same = Rewrite("u r.", why="no rule applies")
    lines = display.explain("u r.", [changed, kept, same]).plain.split("\n")
    assert lines == [
        "u r.",
        "= you are",
        "    0-1  'u' -> 'you'  (chat spelling)",
        "    2-2  nothing -> ' are'  (verb)",
        "    5-6  ' ' -> ''  (spaces)",
        "    rejected candidates: names, negation",
        "= u r. Go.",
        "    kept 'Go.': no rule applies",
        "= u r.",
        "    unchanged: no rule applies",
    ]


def test_alternatives_have_a_line_each_with_their_rating():
    rating = Rating(0.5, 1.0, None)
    rewrites = [Rewrite("One\n text."), Rewrite("Two.", why="it is the source")]
    assert display.list_alternatives(rewrites, [rating, rating]) == (
        f"One text.\t{rating}\nTwo.\t{rating} (unchanged: it is the source)\n"
    )


def test_a_rating_leaves_out_missing_scores():
    assert str(Rating(0.5, 0.994, 0.0)) == "style 50, meaning 99, fluency 0"
    assert str(Rating(None, 1.0, None)) == "meaning 100"


def test_steps_are_shown_in_their_order():
    shown = display.show_steps("a", Rewrite("c", steps=("b",)))
    assert shown.plain == "a\n→ b\n→ c"
    shown = display.show_steps("a", Rewrite("c"))
    assert shown.plain == (
        "a\n→ c\n    rewritten in one pass, without intermediate steps"
    )
    shown = display.show_steps("a", Rewrite("a", why="nothing to change"))
    assert shown.plain == "a\n→ a\n    unchanged: nothing to change"


def test_a_word_diff_shows_deletions_and_insertions():
    shown = display.show_word_diff("I am so late.", Rewrite("I am very late."))
    assert shown.plain == "I am sovery late."
    assert marked(shown) == [("so", "red strike"), ("very", "green")]


def test_a_unified_diff_has_whole_lines():
    rows = [("a\nb\n", Rewrite("a\nc\n")), ("d", Rewrite("d"))]
    assert display.unify_diffs(rows, name="in.txt", style="formal").splitlines() == [
        *("--- in.txt", "+++ in.txt (formal)", "@@ -1,3 +1,3 @@"),
        *(" a", "-b", "+c", " d"),
    ]


def test_a_page_of_diffs_is_escaped_and_says_why_a_text_stayed():
    rows = [
        ("x < y now", Rewrite("x < z now")),
        ("Go & stay.", Rewrite("Go & stay.", why="no <rule>")),
        (" ", Rewrite(" ", why="empty")),
    ]
    page = display.page_of_diffs(rows, title="a & b")
    assert "<h1>a &amp; b</h1>" in page
    assert "<p>x &lt; <del>y</del><ins>z</ins> now</p>" in page
    assert (
        '<p>Go &amp; stay.<br><span class="why">unchanged: no &lt;rule&gt;</span></p>'
        in page
    )
    assert "empty" not in page


class Learned:
    """A rewriter with a reranker that gives every text its length in tenths."""

    class Guide:
        def style(self, texts, style):
            assert style == "pirate"
            return [len(text) / 10 for text in texts]

    guide = Guide()

    def __call__(self, texts, **options):
        raise NotImplementedError


class Unguided(Learned):
    guide = None


def test_a_style_that_the_judge_does_not_know_is_rated_by_the_reranker():
    asked = []

    def score(sources, texts, *, style):
        asked.append((sources, style))
        return [Rating(0.25, 0.5, 0.75) for _ in texts]

    known = rate_with(score, ["formal"], Learned(), "formal")
    assert known("a", ["bb", "ccc"]) == [Rating(0.25, 0.5, 0.75)] * 2
    learned = rate_with(score, ["formal"], Learned(), "pirate")
    assert learned("a", ["bb", "ccc"]) == [
        Rating(0.2, 0.5, 0.75),
        Rating(0.3, 0.5, 0.75),
    ]
    without = rate_with(score, ["formal"], Unguided(), "pirate")
    assert without("a", ["bb"]) == [Rating(0.25, 0.5, 0.75)]
    assert asked == [(["a", "a"], "formal"), (["a", "a"], ""), (["a"], "")]


def test_a_reranker_that_forgets_a_text_is_not_trusted():
    class Forgetful(Learned):
        class Guide:
            def style(self, texts, style):
                return [0.5]

        guide = Guide()

    def score(sources, texts, *, style):
        return [Rating(None, 0.5, 0.75) for _ in texts]

    with pytest.raises(ValueError, match="zip"):
        rate_with(score, [], Forgetful(), "pirate")("a", ["b", "c"])
