"""Sorted strings in arrays: found by binary search, refused when they are not UTF-8."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.phrase import arpa
from paraphrast.text.strings import Strings, strings

WORDS = st.sets(st.text(st.characters(exclude_categories=["Cs"]), max_size=5))


@given(WORDS, st.text(max_size=5))
def test_strings_are_found_where_they_are(words, other):
    ordered = sorted(words)
    packed = strings(ordered)
    assert len(packed) == len(ordered)
    assert packed.all() == ordered
    for index, word in enumerate(ordered):
        assert packed[index] == word
        assert packed.find(word) == index
    assert packed.find(other) == (ordered.index(other) if other in words else None)


def test_a_word_that_is_not_utf8_is_one_line():
    damaged = Strings(np.frombuffer(b"a\xff", np.uint8), np.array([0, 1, 2], np.uint32))
    assert damaged[0] == "a"
    for read in (lambda: damaged[1], damaged.all):
        with pytest.raises(
            ParaphrastError, match="xff' is not UTF-8.*create it again"
        ) as e:
            read()
        assert "\n" not in str(e.value)
    with pytest.raises(ParaphrastError, match="is not UTF-8. Save the file"):
        strings(["a\ud800"])
    assert strings(["a"]).find("a\ud800") is None


def test_an_arpa_with_a_word_that_is_not_utf8_is_one_line(tmp_path):
    text = (
        b"\\data\\\nngram 1=4\nngram 2=1\n\n\\1-grams:\n-1\t<s>\t-1\n-1\t</s>\n"
        b"-1\t<unk>\n-1\tcaf\t-1\n\n\\2-grams:\n-1\t<s> caf\n\n\\end\\\n"
    )
    (tmp_path / "sound").write_bytes(text)
    arpa.read(tmp_path / "sound")
    for old in (b"-1\tcaf", b"<s> caf"):
        path = tmp_path / "damaged"
        path.write_bytes(text.replace(old, old + b"\xff"))
        with pytest.raises(ParaphrastError, match="damaged:") as caught:
            arpa.read(path)
        assert "\n" not in str(caught.value)
