"""Markdown with its words shuffled is the same Markdown, as another reader sees it."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.test_document_formats import SHUFFLED, rewriting, rewritten

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
WORDS = st.sampled_from(["the", "big", "dog", "saw", "we", "Romeo", "cats", "then"])
ATOMS = (
    *("`a b`", "`` c`d ``", "<https://a.org/b>", "[the dog](#x)", "[a *b* c](<#y z>)"),
    *("[cats][1]", "[Docs]", "[docs][]", "![a cat](c.png)", '[we](#z "a title")'),
    *("<b>", "</b>", "<!-- a note -->", "&amp;", "[^1]", "http://a.org/b_c_d", r"\*"),
    *("*", "**", "_", "snake_case", "2*3", "~~", "[", "]", "a\\", "`"),
    *("2", "-", "1.", "#", "+", ">", "==", "[the big\ndog](#x)", "[![i](i.png)](#z)"),
)
MARKS = st.sampled_from(["*", "**", "_", "__", "***", "~~"])
PLAIN = st.one_of(*[WORDS] * 8, st.sampled_from(ATOMS))


def stress(inner):
    """Return words of which some, next to each other, have marks around them."""
    return st.builds(
        lambda mark, own: f"{mark}{own}{mark}",
        MARKS,
        st.lists(inner, min_size=1, max_size=4).map(" ".join),
    )


INLINE = st.one_of(*[PLAIN] * 4, st.recursive(PLAIN, stress, max_leaves=4))
GAPS = st.sampled_from([" ", " ", " ", "\n", ". ", ", "])
SENTENCES = st.lists(st.tuples(INLINE, GAPS), min_size=1, max_size=9).map(
    lambda own: "".join(map("".join, own)).strip() + " end."
)
OPENINGS = st.sampled_from(["", "", "", "- ", "1. ", "> ", "# ", "- [ ] ", "> > "])
BLOCKS = st.one_of(
    st.tuples(OPENINGS, SENTENCES).map("".join),
    st.sampled_from(
        [
            *("```\nthe big dog\n```", "| the dog | we |\n|--|--|\n| a b | c |"),
            *("---", "    the code block", "<div>\nwe saw\n</div>", "We saw it.\n==="),
        ]
    ),
)
PAGES = st.lists(BLOCKS, min_size=1, max_size=4).map("\n\n".join)
DEFINITIONS = '\n\n[1]: #one "One"\n[docs]: <docs/a b>\n'


def inventory(text):
    """Return the blocks of a page in order, and what is in the lines of each."""
    found = []
    for token in PARSER.parse(text):
        found.append((token.type, token.tag, token.markup, token.info))
        if token.type != "inline":
            found.append(token.content)
        else:
            found.append(Counter(map(describe, token.children)))
    return found


def describe(token):
    """Return what a part of a line is; text is only that."""
    if token.type in {"text", "softbreak"}:
        return "text"
    own = token.content if token.type != "image" else token.children[0].content
    return token.type, token.markup, own, *sorted(token.attrs.items())


@settings(max_examples=100, deadline=None)
@given(PAGES)
def test_shuffled_markdown_keeps_its_blocks_links_code_and_stress(page):
    source = page + DEFINITIONS
    new = rewritten("md", source, SHUFFLED)
    before, after = inventory(source), inventory(new)
    for own in (*before, *after):
        if isinstance(own, Counter):
            del own["text"]
    assert after == before
    words = re.compile(r"[^\s>]+")  # a quotation's mark may touch one of them
    assert sorted(words.findall(new)) == sorted(words.findall(source))


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("We **saw the** big dog.", "We big the** **saw dog."),
        ("We saw - a dog.", "- We saw a dog."),
        ("We saw\nthe 2) dog.", "We saw\n2) the dog."),
        ("We saw ~~~ a dog.", "~~~ We saw a dog."),
        ("We saw [the Docs] then.\n\n[the docs]: a.md", "We saw [Docs the] then."),
        ("We saw [the\ndog](a.md).", "We [the saw\ndog](a.md)."),
        ("We saw [it *all* now](<a b.md>).", "We [saw it *all* now](<a b.md>)."),
        ("> We saw [the\n> dog](a.md).", "We did."),
        ("<span>\nWe saw it.", "We did."),
        ("- <!-- c --> We saw it.", "We did."),
    ],
)
def test_rewrites_that_would_change_the_markdown_are_rejected(source, rewrite):
    assert rewritten("md", source, rewriting(lambda text: rewrite)) == source


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("We saw the *big dog* then.", "Then we saw the *big dog*, too."),
        ("We saw [the dogs] then.", "We saw [dogs] then."),
        ("A *dog*, __then__ 2*3 cats.", "Cats, a *dog* and __then__ 2*3."),
        ("Run `a b` & see [it](b.md).", "Please run `a b` and see [it](b.md)."),
    ],
)
def test_marks_may_move_if_they_have_the_same_effect(source, rewrite):
    assert rewritten("md", source, rewriting(lambda text: rewrite)) == rewrite


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("We saw $u_{we}$ there.", "WE SAW $u_{we}$ THERE."),
        ("We saw:\n\n$$\nu = we\n$$", "WE SAW:\n\n$$\nu = we\n$$"),
        ("We paid $5 and you $6.", "WE PAID $5 AND YOU $6."),
        (r"We paid \$a and a$.", r"WE PAID \$A AND A$."),
    ],
)
def test_formulas_stay(source, expected):
    loud = rewriting(lambda text: re.sub(r"(\$\S+\$)|.", _capitalise, text))
    assert rewritten("md", source, loud) == expected


def _capitalise(match):
    return match[0] if match[1] else match[0].upper()
