"""Make a formal sentence informal: the rules of `paraphrast.rules.formal`, reversed.

Initial capitals, "I", contractions and slang are always rewritten; shouting, stretched
letters, repeated marks, dropped full stops and apostrophes, lower-case names and
fillers occur at the `Rates` of a corpus. A full stop is dropped only at the end of a
paragraph: within it, sentences would run together.

The random draw for each place is a hash of the seed, the place, and the *key* of the
sentence: its words without case, stretched letters and all that any rule replaces. The
key is the same before and after rewriting, so the same places are drawn again and
rewriting the result changes nothing. The rewrite of a sentence depends only on the seed
and the sentence, never on the batch that it is in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b

from paraphrast.rewriter import Rewrite, Sentence
from paraphrast.rules import rates as rates_of
from paraphrast.rules.draft import Draft, Plan, draft, draft_again
from paraphrast.rules.letters import STRETCHED, is_shouted, shorten_word
from paraphrast.rules.lexicon import Entry, Lexicon
from paraphrast.rules.punctuation import is_title
from paraphrast.rules.rates import Rates
from paraphrast.rules.settle import Settled, settle
from paraphrast.rules.tokens import (
    FIXED,
    MARK,
    OTHER,
    SPACE,
    WORD,
    Token,
    is_free,
    make_empty,
)

_TRIES = 4  # seeds tried for each requested alternative
_OPENERS = ("well", "um")
_FEWEST_WORDS = 3
_PLAN = Plan()


class Informal:
    """The rewriter into informal English."""

    def __init__(self, rates: Rates | None = None, *, chat: bool = True) -> None:
        """Use the rates of a corpus, or the defaults; ``chat`` allows "u" and "wat".

        Without it, only words that people would say are written: "gonna", "kids".
        """
        self.rates = rates or rates_of.default()
        self.chat = chat

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return rewrites: the first from the seed, the rest from derived seeds."""
        return [self._rewrites(sentence, alternatives, seed) for sentence in sentences]

    def _rewrites(
        self, sentence: Sentence, alternatives: int, seed: int
    ) -> list[Rewrite]:
        result: dict[str, Rewrite] = {}
        for number in range(1 + _TRIES * (alternatives - 1)):
            name = f"{seed}/{number}" if number else str(seed)
            settled = self._settle(sentence, name)
            if not number or settled.changes:
                result.setdefault(settled.text, settled.rewrite(-float(len(result))))
            if len(result) >= alternatives:
                break
        return list(result.values())

    def _settle(self, sentence: Sentence, seed: str) -> Settled:
        run = partial(self._run, seed, is_last=sentence.ends_paragraph)
        first = run(draft(sentence.text, sentence.protected, _PLAN))
        return settle(sentence, first, lambda work, _: run(draft_again(work, _PLAN)))

    def _run(self, seed: str, work: Draft, *, is_last: bool) -> Draft:
        chance = Chance(seed, _key(work.tokens, work.lexicon))
        shouted = is_shouted([token for token in work.tokens if token.kind == WORD])
        _substitute(work, chance, self.rates, chat=self.chat)
        work.compact()
        if not shouted and not _is_heading(work):
            _lower(work, chance, self.rates)
        _stress(work, chance, self.rates)
        _end(work, chance, self.rates, is_last=is_last)
        if chance.says("fillers", "", self.rates.fillers):
            _open(work, chance)
        if chance.says("uppercase_sentences", "", self.rates.uppercase_sentences):
            _shout(work)
        return work


@dataclass(frozen=True, slots=True)
class Chance:
    """Random draws that depend only on the seed, the sentence's key and the place."""

    seed: str
    key: str

    def number(self, rule: str, position: str) -> int:
        """Return a uniformly distributed integer from 0 to 2**64 - 1."""
        name = f"{self.seed}\t{rule}\t{position}\t{self.key}"
        encoded = name.encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(encoded, digest_size=8).digest(), "big")

    def says(self, rule: str, position: str, rate: float) -> bool:
        """Return whether an event of this rate occurs at this place."""
        return rate > 0 and self.number(rule, position) < rate * 2**64


def _key(tokens: Sequence[Token], lexicon: Lexicon) -> str:
    words = []
    for token in tokens:
        if token.kind == WORD and token.low not in lexicon.replaced:
            low = token.low
            words.append(shorten_word(low, lexicon)[0] if STRETCHED(low) else low)
    return " ".join(words)


def _substitute(work: Draft, chance: Chance, rates: Rates, *, chat: bool) -> None:
    """Write contractions and slang."""
    without = frozenset[str]() if chat else work.lexicon.classes["chat"]
    table = work.lexicon.reverse
    for index, token in enumerate(work.tokens):
        if token.kind != WORD or not is_free(work.tokens, index):
            continue
        for rest, entries in table.get(token.low, {}).items():
            last = work.match(index, rest)
            if last >= 0 and _write(work, chance, entries, (index, last), without):
                break
        if token.low in work.lexicon.bare and chance.says(
            "missing_apostrophes", token.low, rates.missing_apostrophes
        ):
            bare = token.text.replace("'", "").replace("’", "")
            token.become(bare, "contraction")
            token.low = bare.lower()


def _write(
    work: Draft,
    chance: Chance,
    entries: Sequence[Entry],
    span: tuple[int, int],
    without: frozenset[str],
) -> bool:
    index, last = span
    fitting = [
        entry
        for entry in entries
        if entry.reverse is not None
        and entry.informal not in without
        and work.holds(entry.reverse, index, last)
    ]
    if not fitting:
        return False
    entry = fitting[0]
    if len(fitting) > 1:
        entry = fitting[chance.number("slang", entry.formal[0]) % len(fitting)]
    token = work.merge(index, last)
    shouted = len(token.source) > 1 and token.text.isupper()
    token.become(entry.informal.upper() if shouted else entry.informal, entry.kind)
    token.low = entry.informal
    return True


def _is_heading(work: Draft) -> bool:
    """Return whether the text is a line such as "Head Librarian" and not a sentence."""
    words = [token for token in work.tokens if token.kind == WORD]
    ends = any(token.kind == MARK for token in work.tokens)
    return len(words) > 1 and not ends and is_title(words, work.lexicon.classes)


def _lower(work: Draft, chance: Chance, rates: Rates) -> None:
    """Lower-case the first word and "I", and names at their rate."""
    is_first = True
    titles = work.lexicon.classes["title"]
    for token in work.tokens:
        if token.kind == FIXED and token.span_kind != "markdown":
            is_first = False
        if token.kind != WORD:
            continue
        if token.text == "I" or token.text.startswith(("I'", "I’")):
            token.become("i" + token.text[1:], "capital")
        elif _has_capital(token, work.lexicon):
            if work.lexicon.is_name(token.low):
                if chance.says("lowercase_names", token.low, rates.lowercase_names):
                    token.become(token.text.lower(), "name")
            elif is_first and token.text.isascii() and token.low not in titles:
                token.become(token.text.lower(), "capital")
        is_first = False


def _has_capital(token: Token, lexicon: Lexicon) -> bool:
    """Return whether a word is a capital followed by lower-case letters."""
    if token.text.istitle():
        return len(token.text) > 1 or token.text == "A"
    contracted = token.text[1:].islower() and token.low in lexicon.words
    return contracted and token.text[0].isupper()


def _stress(work: Draft, chance: Chance, rates: Rates) -> None:
    """Stretch some words and write others in capitals."""
    lexicon = work.lexicon
    for index, token in enumerate(work.tokens):
        low = token.low
        if token.kind != WORD or not token.text.islower():
            continue
        if low in lexicon.classes["stretch"]:
            rule, rate = "repeated_letters", rates.repeated_letters
        elif len(low) > 2 and low in lexicon.plain and low not in lexicon.replaced:
            rule, rate = "uppercase_words", rates.uppercase_words
        else:
            continue
        if not chance.says(rule, low, rate) or not is_free(work.tokens, index):
            continue
        if rule == "uppercase_words":
            token.become(token.text.upper(), "shouting")
        else:
            times = 2 + chance.number("stretch", low) % 3
            token.become(stretch_letters(low, times), "repeated letters")


def stretch_letters(word: str, times: int) -> str:
    """Repeat the double o of a word, or else its last letter, ``times`` times more."""
    if "oo" in word and not word.endswith("oo"):
        return word.replace("oo", "oo" + "o" * times)
    return word + word[-1] * times


def _end(work: Draft, chance: Chance, rates: Rates, *, is_last: bool) -> None:
    """Repeat the last mark, or drop the last stop of a paragraph."""
    shown = [token for token in work.tokens if token.text and token.kind != SPACE]
    if len(shown) < 2 or shown[-1].kind != MARK:
        return
    last, word = shown[-1], shown[-2]
    if last.text in ("!", "?"):
        if chance.says("repeated_punctuation", "", rates.repeated_punctuation):
            times = 2 + chance.number("marks", "") % 3
            last.become(last.text * times, "repeated punctuation")
        return
    may_go = is_last and last.text == "." and word.kind == WORD and len(word.text) > 1
    if may_go and chance.says("missing_stop", "", rates.missing_stop):
        last.vanish("final stop")


def _open(work: Draft, chance: Chance) -> None:
    """Put a filler before a sentence that begins with a word and has no filler."""
    words = [index for index, token in enumerate(work.tokens) if token.kind == WORD]
    if len(words) < _FEWEST_WORDS:
        return
    index = words[0]
    if any(token.kind in (FIXED, OTHER, MARK) for token in work.tokens[:index]):
        return
    record = work.lexicon.words.get(work.tokens[index].low)
    if record and record.fillers:
        return
    filler = _OPENERS[chance.number("filler", "") % len(_OPENERS)]
    opener = make_empty()
    opener.become(f"{filler}, ", "filler")
    work.tokens.insert(index, opener)


def _shout(work: Draft) -> None:
    """Write everything in capitals."""
    words = [token for token in work.tokens if token.kind != FIXED and token.text]
    if sum(token.kind == WORD for token in words) < 2:
        return
    for token in words:
        upper = token.text.upper()
        if len(upper) == len(token.text) and upper.lower() == token.text.lower():
            token.become(upper, "shouting")
