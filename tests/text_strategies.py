"""Texts for property tests: any Unicode at all, and text dense in what is hard."""

from hypothesis import strategies as st

HARD = [
    *"\x00\x07\x0b\x0c\r\n\t\x1b\x1c\x1f\x7f\x85\xa0\u2028\u2029\u200b\u200d\ufeff",
    *"\u0301\u20e3\ud800\udfff\U0001f600\U0001f44d\U0001f3fd\U0001f1ec\U0001f1e7",
    *"aAzZsS019éßǆⅧ½漢字'’‘“”\"`´.,…-–—?!:;()[]{}<>@#$%&*_~/\\|^=+ ",
    "don't",
    "'s",
    "U.S.",
    "1,000.50",
    "...",
    ":-)",
    "http://a.b/c",
    "a@b.cd",
    "\r\n",
    "\n\n",
    "```",
    "- ",
    "> ",
    "# ",
    "    ",
    "<!--",
    "-->",
    "|-|",
    "[a]: b",
    "zqx0q",
    "@-@",
]

# With lone surrogates, which st.text() leaves out by itself.
ANY_TEXT = st.text(st.characters()) | st.lists(st.sampled_from(HARD)).map("".join)
