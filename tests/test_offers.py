"""Which rewriter is taken for a style, and what is said when there is none."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from paraphrast import registry
from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Rewrite
from paraphrast.rewriting import offers
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.rewriting.offers import Example, Offer, Style
from paraphrast.storage import packs
from paraphrast.storage.packs import About


def say(word):
    """Return a rewriter that puts a word before each sentence."""

    def rewrite(sentences, *, alternatives, seed):
        return [[Rewrite(f"{word} {s.text}")] for s in sentences]

    return rewrite


@dataclass(frozen=True)
class Fixed:
    """A family that needs no packs."""

    lines: dict
    word: str = "fixed"
    summary: str = "needs nothing"

    def styles(self):
        return self.lines

    def load(self, style):
        return say(f"{self.word}-{style}")


@dataclass(frozen=True)
class Packed:
    """A family whose styles are those of the packs in its folder."""

    home: Path
    lacking: dict = field(default_factory=dict)
    summary: str = "needs packs"

    def styles(self):
        return packs.collect_styles(packs.list_installed(self.home, kind="packed"))

    def missing(self):
        return self.lacking

    def at(self, home):
        return replace(self, home=home)

    def load(self, style):
        return say(f"packed-{style}")

    def load_pack(self, folder, style):
        return say(f"{folder.name}-{style}")


class Installed:
    """What is installed, in the place of the entry points."""

    def __init__(self, home):
        self.parts = {
            "zeal": Fixed({"loud": "in capitals", "odd": "strange"}, word="zeal"),
            "packed": Packed(home, {"pirate": "Train it.", "abbess": "Buy it."}),
        }

    def names(self, group):
        assert group == "rewriters"
        return sorted(self.parts)

    def find(self, group, name):
        part = self.parts[name]
        if isinstance(part, ParaphrastError):
            raise part
        return part


@pytest.fixture
def home(tmp_path):
    return tmp_path / "packs"


@pytest.fixture
def installed(monkeypatch, home):
    parts = Installed(home)
    monkeypatch.setattr(registry, "names", parts.names)
    monkeypatch.setattr(registry, "find", parts.find)
    return parts.parts


def write_pack(folder, *styles, kind="packed", weights=b"arr"):
    about = About(folder.name, kind, {style: f"{style} of a pack" for style in styles})
    with packs.new(folder) as filling:
        (filling / "weights").write_bytes(weights)
        packs.seal(filling, about, {})
    return folder


def first_word(rewriter):
    return rewriter.rewrite("go").text.split()[0]


def test_a_family_with_packs_comes_before_one_that_needs_none(installed, home):
    write_pack(home / "a", "loud", "soft")
    loud = offers.load("loud")
    assert (loud.style, loud.family) == ("loud", "packed")
    assert first_word(loud) == "packed-loud"
    odd = offers.load("odd")
    assert (odd.style, odd.family, first_word(odd)) == ("odd", "zeal", "zeal-odd")


def test_of_two_families_with_packs_the_first_by_name_is_taken(installed):
    installed["art"] = Fixed({"loud": "in colour"}, word="art")
    assert first_word(offers.load("loud")) == "art-loud"
    assert first_word(offers.load("odd")) == "zeal-odd"


def test_the_requested_rewriter_is_used(installed, home):
    write_pack(home / "a", "loud")
    assert offers.load("loud", using="packed").family == "packed"
    assert offers.load("loud", using="zeal").family == "zeal"


def test_packs_are_looked_for_where_the_caller_says(installed, tmp_path):
    write_pack(tmp_path / "elsewhere" / "a", "soft")
    assert offers.load("soft", home=tmp_path / "elsewhere").family == "packed"
    assert "soft" in [s.name for s in offers.styles(tmp_path / "elsewhere")]
    assert "soft" not in [s.name for s in offers.styles()]
    with pytest.raises(ParaphrastError, match="unknown style 'soft'"):
        offers.load("soft")


@pytest.mark.parametrize(
    ("to", "using", "message"),
    [
        ("loud", "zeel", "unknown rewriter 'zeel'. Did you mean 'zeal'"),
        ("lood", None, "unknown style 'lood'. Did you mean 'loud'"),
        ("lood", "zeal", "unknown style 'lood'. Did you mean 'loud'"),
        ("pirate", None, "there is no pack for 'pirate' yet. Train it."),
        ("pirate", "packed", "there is no pack for 'pirate' yet. Train it."),
        (
            "soft",
            "zeal",
            "rewriter 'zeal' does not write 'soft'. It writes: loud, odd. "
            "'soft' is written by: packed.",
        ),
        (
            "nowhere",
            "bare",
            "rewriter 'bare' does not write 'nowhere'. It writes: nothing yet. "
            "Leave out --using to see the available rewriters.",
        ),
        (
            "loud",
            "bare",
            "rewriter 'bare' does not write 'loud'. It writes: nothing yet. "
            "'loud' is written by: zeal.",
        ),
    ],
)
def test_a_style_that_no_family_can_write_says_why(installed, home, to, using, message):
    write_pack(home / "a", "soft")
    installed["bare"] = Fixed({})
    with pytest.raises(ParaphrastError) as caught:
        offers.load(to, using=using)
    assert message in str(caught.value)


def test_a_pack_of_another_family_does_not_replace_the_missing_one(installed):
    with pytest.raises(ParaphrastError, match="unknown style 'pirate'"):
        offers.load("pirate", using="zeal")


def test_a_broken_family_stops_only_those_who_need_it(installed):
    installed["worn"] = ParaphrastError("the gears are worn. Oil them.")
    assert offers.load("loud").family == "zeal"
    for to, using in (("loud", "worn"), ("grave", None)):
        with pytest.raises(ParaphrastError, match="gears are worn"):
            offers.load(to, using=using)
    with pytest.raises(ParaphrastError, match="no pack for 'pirate'"):
        offers.load("pirate")
    assert [offer.name for offer in offers.rewriters()] == ["zeal", "packed", "worn"]
    assert offers.rewriters()[-1] == Offer(
        "worn", "broken: the gears are worn. Oil them.", ()
    )


def test_families_that_can_write_are_listed_first_with_sorted_styles(installed):
    installed["zeal"] = Fixed({"odd": "strange", "loud": "in capitals"})
    assert offers.rewriters() == [
        Offer("zeal", "needs nothing", ("loud", "odd")),
        Offer("packed", "needs packs", ()),
    ]


def test_a_style_has_the_summary_of_the_first_family_and_names_all(installed, home):
    write_pack(home / "a", "loud", "bold")
    assert offers.styles() == [
        Style("bold", "bold of a pack", ("packed",)),
        Style("loud", "loud of a pack", ("packed", "zeal")),
        Style("odd", "strange", ("zeal",)),
    ]


def test_a_text_is_given_in_every_style_followed_by_missing_styles(installed, home):
    write_pack(home / "a", "pirate")
    installed["zest"] = Packed(home / "none", {"abbess": "Ask.", "zany": "Wait."})
    assert list(offers.in_every_style("go")) == [
        Example("loud", "zeal", "zeal-loud go"),
        Example("odd", "zeal", "zeal-odd go"),
        Example("pirate", "packed", "packed-pirate go"),
        Example("abbess", "packed", "", "Buy it."),
        Example("zany", "zest", "", "Wait."),
    ]
    unchanged = next(iter(offers.in_every_style("")))
    assert (unchanged.text, unchanged.why) == ("", "it is empty")


def test_a_pack_is_opened_by_folder_or_name_in_its_only_style(installed, home):
    folder = write_pack(home / "mild", "soft")
    for given, where in ((str(folder), None), ("mild", home)):
        made = offers.load_pack(given, home=where)
        assert (made.style, made.family) == ("soft", "packed")
        assert first_word(made) == "mild-soft"
    assert offers.load_pack("mild", to="soft", home=home).style == "soft"


def test_a_pack_is_looked_for_in_the_usual_folder(installed, home, monkeypatch):
    monkeypatch.setattr(packs, "HOME", home)
    write_pack(home / "mild", "soft")
    made = offers.load_pack("mild")
    assert made.style == "soft"
    assert offers.identify_packs(made) == offers.identify_packs(made, pack="mild")


def test_a_pack_that_cannot_be_used_as_asked_says_why(installed, home):
    folder = write_pack(home / "both", "soft", "bold")
    with pytest.raises(ParaphrastError) as caught:
        offers.load_pack("both", home=home)
    assert str(caught.value) == f"{folder} writes soft, bold. Choose one with --to."
    assert offers.load_pack("both", to="bold", home=home).style == "bold"
    with pytest.raises(ParaphrastError, match="unknown style of the pack 'bald'"):
        offers.load_pack("both", to="bald", home=home)
    write_pack(home / "other", "loud", kind="zeal")
    with pytest.raises(ParaphrastError, match="rewriter 'zeal' does not use packs"):
        offers.load_pack("other", home=home)


def test_the_identity_of_packs_changes_with_those_that_write_the_style(installed, home):
    write_pack(home / "mild", "soft")
    soft = offers.load_pack("mild", home=home)
    before = offers.identify_packs(soft, home=home)
    assert before == offers.identify_packs(soft, pack="mild", home=home)
    write_pack(home / "other", "loud")
    write_pack(home / "strange", "soft", kind="strange")
    assert offers.identify_packs(soft, home=home) == before
    write_pack(home / "second", "soft", weights=b"hum")
    assert offers.identify_packs(soft, home=home) != before
    assert offers.identify_packs(soft, pack="mild", home=home) == before
    assert offers.identify_packs(soft, pack="second", home=home) != before


def test_the_identity_of_packs_changes_with_the_pack_that_comes_along(
    installed, home, monkeypatch, tmp_path
):
    write_pack(home / "mild", "soft")
    soft = offers.load_pack("mild", home=home)
    before = offers.identify_packs(soft, home=home)
    monkeypatch.setattr(packs, "BUNDLED", tmp_path / "bundled")
    write_pack(tmp_path / "bundled" / "small", "soft", weights=b"hum")
    assert offers.identify_packs(soft, home=home) != before


def test_the_identity_of_a_rewriter_that_no_pack_holds_is_its_own(installed, home):
    def make(identity):
        class Endpoint:
            def __call__(self, sentences, *, alternatives, seed):
                return [[Rewrite(sentence.text)] for sentence in sentences]

        Endpoint.identity = identity
        return DocumentRewriter(Endpoint(), style="soft", family="llm")

    one = offers.identify_packs(make("a model"), home=home)
    assert one == offers.identify_packs(make("a model"), home=home)
    assert one != offers.identify_packs(make("another model"), home=home)
