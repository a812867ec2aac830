"""Filter synthetic pairs for training, and count what is dropped.

A model wrote formal versions of real informal text. A version is dropped by the first
stage that it fails, in the order of `STAGES`. Of several versions of a text the most
formal one that passes is kept, and the number of versions with the same first four
words is limited, for diversity. Facts of language are used where they suffice; meaning
and formality are scored by functions, which must not be those of a judge, because a
judge that chose training data cannot evaluate what was trained on it. Where one content
word replaces another, the threshold for meaning is higher.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from paraphrast.corpora.filtering.preservation import differ
from paraphrast.extras import require
from paraphrast.language.grammar import (
    asks_indirectly,
    count_denials,
    has_question_order,
    is_question,
)
from paraphrast.language.names import find_lost_names
from paraphrast.language.numbers import find_lost_numbers
from paraphrast.language.words import FUNCTION, find_offensive_words, find_words

Meaning: TypeAlias = Callable[[Sequence[str], Sequence[str]], Sequence[float]]
Formality: TypeAlias = Callable[[Sequence[str]], Sequence[float]]
Spelling: TypeAlias = Callable[[Sequence[str]], Sequence[str]]

STAGES = (
    "offensive",
    "several lines",
    "preamble or refusal",
    "greeting or signature",
    "length",
    "numbers",
    "names",
    "negation",
    "question",
    "edit distance",
    "formality",
    "meaning",
    "another version is better",
    "frequent opening",
)
OPENING = 4  # words
STEM, SHORTEST = 4, 3  # letters that inflections of a word share, and of a word
_CLITIC = re.compile(r"['’].*")
_PREAMBLE = re.compile(
    r"\A\W*(?:sure\b[,!.:]|certainly\b[,!.:]|of course[,!]"
    r"|here(?:'s| is) (?:the|a|your)\b"
    r"|(?:formal|rewritten|revised|polite)(?: version| sentence| text)?\s*:"
    r"|i(?:'m| am) sorry,? (?:but )?i (?:can|am un)|i (?:cannot|can't) (?:assist|help|"
    r"fulfill|comply|provide|rewrite)|as an? (?:ai|language model)"
    r"|i apologi[sz]e, but i)",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"\A\W*(?:dear (?:sir|madam|all|colleague|mr|ms)|to whom it may concern"
    r"|greetings)\b"
    r"|\b(?:yours (?:sincerely|faithfully|truly)|(?:best|kind|warm) regards|sincerely)"
    r"\W*(?:\[?[\w ]*\]?)?\W*\Z",
    re.IGNORECASE,
)
_MASK = re.compile(r"\[[A-Z]+\]")  # what stands for a name in published comments
# With a capital at the start they look like names that a formal version has lost.
_INTERJECTION = re.compile(
    r"\b(?:ye(?:ah?|p|s+ir)|yup|yay|nope|nah|wow|whoa|lol|lmao|rofl|omg|o+h+|a+h+|aw+|e+h+"
    r"|u+gh+|h+m+|u+h+|m+h*m+|(?:ha|he)(?:h?a|h?e)*h?|dude|bro|man|damn|hey|btw|idk|imo|tbh"
    r"|gonna|gotta|wanna|dunno|ya|thx|pls|plz)\b[,.!?]*\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Candidate:
    """A real informal text of a source, and a formal version that a model wrote."""

    source: str
    informal: str
    formal: str


@dataclass(frozen=True)
class Settings:
    """The thresholds; lengths are ratios of words, edits are in characters.

    The threshold for meaning has no default, as it depends on the scoring function; so
    does the higher one where words are exchanged. Formality is on a scale from -3 to 3;
    a linear guide stays near its middle, and scores half of the formal texts written
    for everyday below 0. Of the pairs that a minimum gain of 0.5 would drop, three
    quarters were formal and correct when read (training/LOG.md).
    """

    least_meaning: float
    least_meaning_exchanged: float = -math.inf
    shortest: float = 0.6
    longest: float = 1.6
    least_edits: int = 10
    least_gain: float = 0.2
    least_formality: float = -1.0
    most_openings: int = 20


@dataclass(frozen=True)
class Filtered:
    """The kept pairs, the dropped ones with their stage, and the counts by source."""

    kept: tuple[Candidate, ...]
    rejected: tuple[tuple[str, Candidate], ...]

    def counts(self) -> dict[str, int]:
        """Return how many each stage dropped, in order."""
        per_stage = Counter(stage for stage, _ in self.rejected)
        return {stage: per_stage[stage] for stage in STAGES}

    def lines(self) -> Iterator[str]:
        """Format what reached each stage and what it dropped."""
        left = len(self.kept) + len(self.rejected)
        yield f"{'stage':<28}{'reached':>10}{'dropped':>10}{'share':>8}"
        for stage, count in self.counts().items():
            share = count / left if left else 0.0
            yield f"{stage:<28}{left:>10,}{count:>10,}{share:>8.1%}"
            left -= count
        sources = Counter(candidate.source for candidate in self.kept)
        listed = ", ".join(f"{name} {n:,}" for name, n in sorted(sources.items()))
        yield f"{'kept':<28}{left:>10,}  {listed}"


def filter_candidates(
    candidates: Iterable[Candidate],
    settings: Settings,
    *,
    meaning: Meaning,
    formality: Formality,
    spell: Spelling = list,
) -> Filtered:
    """Return the candidates that pass every stage, in their order.

    ``spell`` expands chat spelling and contractions, so that "u" and "you" are one
    word.
    """
    rejected: list[tuple[str, Candidate]] = []
    passed: list[Candidate] = []
    for candidate in dict.fromkeys(candidates):
        stage = find_fault(candidate, settings)
        if stage:
            rejected.append((stage, candidate))
        else:
            passed.append(candidate)
    formal_enough, values = _keep_formal(passed, settings, formality, rejected)
    passed, scores = _keep_same(
        formal_enough, values, settings, meaning, spell, rejected
    )
    best = _keep_best(passed, scores, rejected)
    kept = _limit_openings(best, settings.most_openings, rejected)
    return Filtered(tuple(kept), tuple(rejected))


def find_fault(candidate: Candidate, settings: Settings) -> str:
    """Return the first stage before the scores that a candidate fails, or nothing."""
    informal, formal = candidate.informal.strip(), candidate.formal.strip()
    ratio = len(formal.split()) / max(1, len(informal.split()))
    distance = require("rapidfuzz.distance").Levenshtein.distance
    checks: dict[str, Callable[[], bool]] = {
        "offensive": lambda: bool(find_offensive_words(f"{informal} {formal}")),
        "several lines": lambda: not formal or "\n" in formal or "\t" in formal,
        "preamble or refusal": lambda: (
            bool(_PREAMBLE.search(formal)) and not _PREAMBLE.search(informal)
        ),
        "greeting or signature": lambda: (
            bool(_GREETING.search(formal)) and not _GREETING.search(informal)
        ),
        "length": lambda: not settings.shortest <= ratio <= settings.longest,
        "numbers": lambda: differ(informal, formal, find_lost_numbers),
        "names": lambda: _names_differ(informal, formal),
        "negation": lambda: count_denials(informal) != count_denials(formal),
        "question": lambda: _question_differs(informal, formal),
        "edit distance": lambda: distance(informal, formal) <= settings.least_edits,
    }
    return next((stage for stage, fails in checks.items() if fails()), "")


def _names_differ(informal: str, formal: str) -> bool:
    masks = [sorted(_MASK.findall(text)) for text in (informal, formal)]
    plain = _INTERJECTION.sub("", informal)
    return masks[0] != masks[1] or differ(plain, formal, find_lost_names)


def _question_differs(informal: str, formal: str) -> bool:
    if is_question(formal):
        return not (is_question(informal) or has_question_order(informal))
    return is_question(informal) and not asks_indirectly(formal)


def exchanges_words(informal: str, spelt: str, formal: str) -> bool:
    """Say whether a content word was removed and another added.

    ``spelt`` is the informal text with its chat spelling expanded: words of either are
    not new.
    """
    wanted, written = _find_stems(spelt), _find_stems(formal)
    return bool(wanted - written) and bool(written - wanted - _find_stems(informal))


def _find_stems(text: str) -> set[str]:
    words = [_CLITIC.sub("", word.lower()) for word in find_words(text)]
    return {
        word[:STEM]
        for word in words
        if len(word) >= SHORTEST and word not in FUNCTION and word.isalpha()
    }


def _keep_formal(
    candidates: Sequence[Candidate],
    settings: Settings,
    formality: Formality,
    rejected: list[tuple[str, Candidate]],
) -> tuple[list[Candidate], list[float]]:
    """Return the candidates that are formal enough, with their formality."""
    formal_enough, values = [], []
    for candidate, before, after in zip(
        candidates,
        formality([candidate.informal for candidate in candidates]),
        formality([candidate.formal for candidate in candidates]),
        strict=True,
    ):
        gain = after - before
        if gain < settings.least_gain or after < settings.least_formality:
            rejected.append(("formality", candidate))
        else:
            formal_enough.append(candidate)
            values.append(float(after))
    return formal_enough, values


def _keep_same(
    candidates: Sequence[Candidate],
    values: Sequence[float],
    settings: Settings,
    meaning: Meaning,
    spell: Spelling,
    rejected: list[tuple[str, Candidate]],
) -> tuple[list[Candidate], list[float]]:
    """Return the candidates with the same meaning, with their scores."""
    informal = [candidate.informal for candidate in candidates]
    same = meaning(informal, [candidate.formal for candidate in candidates])
    kept, scores = [], []
    for candidate, value, score, spelt in zip(
        candidates, values, same, spell(informal), strict=True
    ):
        least = settings.least_meaning
        if exchanges_words(candidate.informal, spelt, candidate.formal):
            least = max(least, settings.least_meaning_exchanged)
        if score < least:
            rejected.append(("meaning", candidate))
        else:
            kept.append(candidate)
            scores.append(value)
    return kept, scores


def _keep_best(
    candidates: Sequence[Candidate],
    scores: Sequence[float],
    rejected: list[tuple[str, Candidate]],
) -> list[Candidate]:
    best: dict[str, tuple[float, Candidate]] = {}
    for candidate, score in zip(candidates, scores, strict=True):
        held = best.get(candidate.informal)
        if held is None or score > held[0]:
            best[candidate.informal] = (score, candidate)
    chosen = {id(candidate) for _, candidate in best.values()}
    kept = [candidate for candidate in candidates if id(candidate) in chosen]
    rejected += [
        ("another version is better", candidate)
        for candidate in candidates
        if id(candidate) not in chosen
    ]
    return kept


def _limit_openings(
    candidates: Sequence[Candidate], most: int, rejected: list[tuple[str, Candidate]]
) -> list[Candidate]:
    used: Counter[tuple[str, ...]] = Counter()
    kept = []
    for candidate in candidates:
        words = [word.lower() for word in find_words(candidate.formal)]
        opening = tuple(words[:OPENING])
        used[opening] += 1
        # What the informal text opens with is its own, not the model's habit.
        own = [word.lower() for word in find_words(candidate.informal)][:OPENING]
        if used[opening] > most and tuple(own) != opening:
            rejected.append(("frequent opening", candidate))
        else:
            kept.append(candidate)
    return kept
