"""What no candidate may do: an ordered list of named guards.

A `Guard` compares a source with a candidate and answers with a reason, or with nothing
where it has no objection. Reasons complete the sentence "all candidates …". `BASIC`
guards hold for any rewrite, training pairs included; `GUARDS` are all that need nothing
but the two texts. `benchmarks/guards.py` counts what each of them stops; one that no
longer earns its place is deleted here, with its function and its test.

Guards of form ask for whole English text of about its source's size. Guards of meaning
ask that small words are said, too: they are silent where a style may say the same in
another way ("unhappy" for "not happy"). Guards against additions reject what a model
puts in that nobody said.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

import regex

from paraphrast.language.forms import (
    count_longest_run,
    count_most_repeated,
    find_false_forms,
    has_stretched_letters,
)
from paraphrast.language.grammar import (
    asks_indirectly,
    count_denials,
    count_implied_denials,
    find_lost_limits,
    has_question_order,
    is_about_speaker,
    is_question,
    is_request,
    is_statement,
)
from paraphrast.language.names import find_lost_names, find_names
from paraphrast.language.numbers import find_figures, find_lost_numbers, find_measures
from paraphrast.language.quotations import (
    count_double_quotes,
    count_speakers,
    count_speech_verbs,
    find_single_quotes,
)
from paraphrast.language.words import (
    SMALL_WORDS,
    find_offensive_words,
    find_persons,
    find_words,
)
from paraphrast.text.overlap import words

MOST_REPEATS = 3  # of three words in a row, beyond those of the source
LONG = 5  # words in a row that are not said twice
MOST_IN_A_ROW = 3  # of one word
MOST_LONGER = 2.5  # times the source's words, and some more, but no more than it has
SOME_WORDS = 5
LEAST_SHARE = 0.3  # of the source's words
SHORTEST_STUB = 3  # letters that are left of a word

_SHOUTED = regex.compile(r"\b\p{Lu}{4,}\b")
_LAST_WORD = regex.compile(r"(\p{L}+)\W*\Z")


def check_empty(source: str, text: str) -> str:
    """Reject a text without letters and digits."""
    return "" if any(map(str.isalnum, text)) else "were empty"


def check_script(source: str, text: str) -> str:
    """Reject letters of another script than Latin that the source lacks."""
    if text.isascii():
        return ""
    added = (c for c in text if c.isalpha() and c > "ɏ" and c not in source)
    return next((f"added {letter!r}" for letter in added), "")


def check_repetition(source: str, text: str) -> str:
    """Reject loops, stutters and texts that go on and on."""
    # Here "the" counts, which is no word to `words`.
    own, new = (find_words(side.lower()) for side in (source, text))
    most_run = max(MOST_IN_A_ROW, count_longest_run(own))
    most_long = max(1, count_most_repeated(own, LONG))
    before, after = (count_most_repeated(words(side), 3) for side in (source, text))
    loops = (
        len(new) > MOST_LONGER * len(own) + min(len(own), SOME_WORDS)
        or (has_stretched_letters(text) and not has_stretched_letters(source))
        or count_longest_run(new) > most_run
        or count_most_repeated(new, LONG) > most_long
        or (after >= MOST_REPEATS and after > before)
    )
    return "repeated themselves" if loops else ""


def is_repetitive(text: str) -> bool:
    """Say whether a text itself goes round in a loop."""
    return count_most_repeated(words(text), 3) >= MOST_REPEATS


def check_length(source: str, text: str) -> str:
    """Reject a text that has few of its source's words left."""
    short = len(words(text)) < LEAST_SHARE * len(words(source)) - 1
    return "left out most of the text" if short else ""


def check_quotation_marks(source: str, text: str) -> str:
    """Reject quotation marks that do not pair as the source's do, or are lost."""
    before, after = count_double_quotes(source), count_double_quotes(text)
    own, new = (list(map(len, find_single_quotes(side))) for side in (source, text))
    lone = own[0] == own[1] and new[0] != new[1]
    if lone or before % 2 != after % 2:
        return "broke the quotation marks"
    lost = before + sum(own) and not after + sum(new)
    return "lost the quotation marks" if lost else ""


def check_false_forms(source: str, text: str) -> str:
    """Reject words that never were: stops'd, losed, AASAP for ASAP."""
    own = find_false_forms(source)
    added = [form for form in find_false_forms(text) if form not in own]
    if not text.isupper():
        own_words = source.upper()
        added += [word for word in _SHOUTED.findall(text) if word not in own_words]
    return f"wrote {added[0]!r}, which is no word" if added else ""


def check_last_word(source: str, text: str) -> str:
    """Reject a text that ends in the first letters of its source's last word."""
    own, new = _LAST_WORD.search(source.lower()), _LAST_WORD.search(text.lower())
    if not own or not new or len(new[1]) < SHORTEST_STUB or own[1] == new[1]:
        return ""
    cut = own[1].startswith(new[1]) and own[1].removeprefix(new[1]) not in ("s", "ly")
    return "cut off the last word" if cut else ""


_ANSWERED = "turned the question into a statement"
_ASKED = "turned the statement into a question"


def check_names(source: str, text: str) -> str:
    """Reject a text that lacks a name of its source."""
    there = text.casefold()
    lost = (name for name in find_names(source) if name.casefold() not in there)
    return next((f"lost {name!r}" for name in lost), "")


def check_figures(source: str, text: str) -> str:
    """Reject a number in digits that is lost, or that is new."""
    before, after = Counter(find_figures(source)), Counter(find_figures(text))
    if before - after:
        return f"lost {min(before - after)!r}"
    added = after.keys() - before.keys()
    return f"added {min(added)!r}" if added else ""


def check_names_and_numbers(source: str, text: str) -> str:
    """Reject what the filter of training pairs would drop (`preservation.keeps`)."""
    for first, other in ((source, text), (text, source)):
        if find_lost_names(first, other) or find_lost_numbers(first, other):
            return "lost or added a name or number"
    return ""


def check_numbers(source: str, text: str) -> str:
    """Reject a text that lacks the value of a number of its source."""
    lost = find_lost_numbers(source, text)
    return f"lost the number {lost[0]}" if lost else ""


def check_units(source: str, text: str) -> str:
    """Reject a number that has lost its unit."""
    there = _join_letters(text)
    lost = (m for m in find_measures(source) if _join_letters(m) not in there)
    return next((f"lost {measure!r}" for measure in lost), "")


def check_limits(source: str, text: str) -> str:
    """Reject a text that lacks the word which governs a date, amount or condition."""
    lost = find_lost_limits(source, text)
    return f"lost {lost[0]!r}" if lost else ""


def check_negation(source: str, text: str) -> str:
    """Reject a no for a yes, and a yes for a no."""
    changed = _denies_more(source, text) or _denies_more(text, source)
    return "changed the negation" if changed else ""


def check_persons(source: str, text: str) -> str:
    """Reject a person in place of another: she for he, you for I."""
    before, after = find_persons(source), find_persons(text)
    exchanged = before - after and after - before
    return "changed who is spoken of" if exchanged else ""


def check_question(source: str, text: str) -> str:
    """Reject a question that is answered, and a statement that is asked."""
    if is_question(source) and "?" not in text:
        return _ANSWERED if is_statement(text) and not asks_indirectly(text) else ""
    return _check_asked(source, text)


def check_loose_question(source: str, text: str) -> str:
    """Reject the same in loose talk, where a question needs no mark."""
    if is_question(source) and "?" not in text:
        return "" if has_question_order(text) else _ANSWERED
    return _check_asked(source, text)


def check_request(source: str, text: str) -> str:
    """Reject a request that has become news of the speaker."""
    told = is_request(source) and is_about_speaker(text)
    return "turned the request into a statement" if told else ""


def _check_asked(source: str, text: str) -> str:
    asked = is_question(text) and "?" not in source and not has_question_order(source)
    return _ASKED if asked else ""


def _denies_more(first: str, other: str) -> bool:
    """Say whether one text denies more often than the other can."""
    if count_implied_denials(first):
        return False
    return count_denials(first) > count_denials(other) + count_implied_denials(other)


def _join_letters(text: str) -> str:
    return "".join(text.lower().split()).replace(".", "")


_UNSUPPORTED = "added an unsupported word"
_TIS = regex.compile(r"(?<![\w'’])['’]tis(?![\w'’])", regex.IGNORECASE)
_SHORT_IT = regex.compile(
    r"(?<![\w'’])['’]t\b|\b(?:up)?on['’]t\b|(?<!n)(?<=\p{L})['’]t\b", regex.IGNORECASE
)
# "Meet't Anna" and "write't the letter" have what "it" would stand for.
_IT_TWICE = regex.compile(
    r"\p{L}(?<!n)['’]t\s+(?:(?:the|an?|my|thy|his|her|our|their|your)\b|(?!I\b)\p{Lu})"
)
_GROUND = regex.compile(
    r"\b(?:it|its|that|this|there|here|these|those|what|which|so|\p{L}+thing)(?:['’]s)?\b"
    r"|['’](?:tis|twas|t)\b",
    regex.IGNORECASE,
)
_PERSON_FIRST = regex.compile(r"\W*(?:I|you|he|she|we|they)\b", regex.IGNORECASE)
CLAUSE_BEGINS = regex.compile(
    r"(?:\A|[^\w\s'’]|\b(?:and|but|or|for|if|as|that|when|though|because|since|than|"
    r"where|so|yet|why|how|what|nay|ay|lest|till|sure|say|think|know|swear))\W*\Z",
    regex.IGNORECASE,
)
# Words after which no "it is" can stand, whatever the source says.
_NEVER_BEFORE_IT = regex.compile(
    r"\b(?:hath|has|have|had|could|would|should|may|might|can|shall|will|must|do|doth|"
    r"did|didst|dost|to|is|are|was|were|be|been|am|art|a|an|the|of|in|on|with|from|by|"
    r"upon|my|thy|his|her|their|our|your|not|thou|i|he|she|we|they|you)\s+\Z",
    regex.IGNORECASE,
)
_HATH = regex.compile(r"\b(?:hath|hast)\b(?P<been>\s+been\b)?", regex.IGNORECASE)
_HAVE = regex.compile(
    r"\b(?:hath|hast|has|have|having|had)\b|['’]ve\b", regex.IGNORECASE
)
_IS = regex.compile(r"\b(?:is|are|am)\b|['’](?:s|re|m)\b", regex.IGNORECASE)
_WAS = regex.compile(r"\b(?:was|were)\b", regex.IGNORECASE)
_PEOPLE = regex.compile(
    r"\b(?:king|queen|captain|sir|lords?|lad(?:y|ies)|madam|master|prince|princess|duke|"
    r"emperor|knight|general|bishop|priest|tyrant|soldiers?|gentleman|gentlemen|lad|"
    r"mistress|majesty|highness|brethren|prophet|disciples?|"
    r"god|yahweh|jehovah|jesus|christ|almighty|heavens?)\b",
    regex.IGNORECASE,
)


def check_it(source: str, text: str) -> str:
    """Reject ``'tis`` where it cannot stand, or oftener than the source has reason.

    So with ``'t``, where the source has nothing that it stands for.
    """
    ground = len(_GROUND.findall(source))
    twice = _IT_TWICE.search(text) and not _IT_TWICE.search(source)
    if twice or len(_SHORT_IT.findall(text)) > ground:
        return _UNSUPPORTED
    matches = list(_TIS.finditer(text))
    if matches and not ground and _PERSON_FIRST.match(source) and _TIS.match(text):
        return _UNSUPPORTED
    before = [text[: match.start()] for match in matches]
    if any(map(_NEVER_BEFORE_IT.search, before)):
        return "" if _TIS.search(source) else _UNSUPPORTED
    inside = any(not CLAUSE_BEGINS.search(part) for part in before)
    return _UNSUPPORTED if inside and len(matches) > ground else ""


def check_hath(source: str, text: str) -> str:
    """Reject ``hath`` for the ``is`` or ``was`` of a source, with nothing to have."""
    match = _HATH.search(text)
    if not match or _HAVE.search(source):
        return ""
    wrong = _IS.search(source) or (_WAS.search(source) and not match["been"])
    # "Hath come" has a word of its own; "where hath Romeo" has none.
    new = {word for word in find_words(text.lower()) if word not in SMALL_WORDS}
    return _UNSUPPORTED if wrong and new <= set(find_words(source.lower())) else ""


def check_speaker(source: str, text: str) -> str:
    """Reject somebody who says it, where fewer speak in the source."""
    added = count_speakers(text) > count_speech_verbs(source)
    return "added a speaker" if added else ""


def check_people(source: str, text: str) -> str:
    """Reject a king, a captain or God where the source has nobody like that."""
    match = _PEOPLE.search(text)
    return f"added {match[0]!r}" if match and not _PEOPLE.search(source) else ""


def check_offensive(source: str, text: str) -> str:
    """Reject words that offend, unless the source has them."""
    own = find_offensive_words(source)
    added = any(word not in own for word in find_offensive_words(text))
    return "were offensive (--allow-offensive permits them)" if added else ""


@dataclass(frozen=True, slots=True)
class Guard:
    """A named objection: ``check(source, text)`` is a reason, or empty."""

    name: str
    check: Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a candidate may not be shown, and which guard said so."""

    guard: str
    reason: str


@dataclass(frozen=True)
class Checks:
    """Which basic guards a pack or a training job asks for.

    ``strict`` compares spelled numbers and rare names both ways: for training text, of
    which there is plenty.
    """

    names: bool = True
    numbers: bool = True
    loops: bool = True
    strict: bool = False


STRICT = Guard("strict", check_names_and_numbers)
BASIC = (
    Guard("empty", check_empty),
    Guard("names", check_names),
    Guard("figures", check_figures),
    Guard("script", check_script),
    Guard("repetition", check_repetition),
    Guard("length", check_length),
)
GUARDS = (
    *BASIC,
    Guard("quotation-marks", check_quotation_marks),
    Guard("false-forms", check_false_forms),
    Guard("last-word", check_last_word),
    Guard("negation", check_negation),
    Guard("persons", check_persons),
    Guard("numbers", check_numbers),
    Guard("units", check_units),
    Guard("limits", check_limits),
    Guard("question", check_question),
    Guard("request", check_request),
    Guard("it", check_it),
    Guard("hath", check_hath),
    Guard("speaker", check_speaker),
    Guard("people", check_people),
)
# Talk may leave a question without its mark, but must still ask it.
LOOSE_QUESTION = Guard("question", check_loose_question)
OFFENSIVE = Guard("offensive", check_offensive)


def basic_guards(checks: Checks) -> tuple[Guard, ...]:
    """Return the basic guards that are asked for."""
    asked = {
        "names": checks.names,
        "figures": checks.numbers,
        "repetition": checks.loops,
    }
    chosen = tuple(guard for guard in BASIC if asked.get(guard.name, True))
    return (*chosen, STRICT) if checks.strict else chosen


def select_guards(
    checks: Checks, *, loose: bool, decent: bool, without: Container[str] = ()
) -> list[Guard]:
    """Return the guards of a rewriter in their order.

    In ``loose`` talk a question needs no mark, and a ``decent`` rewriter adds no words
    that offend. Guards named in ``without`` are left out.
    """
    basic = basic_guards(checks)
    guards = [*basic, *GUARDS[len(BASIC) :], *([OFFENSIVE] if decent else [])]
    loosened = {LOOSE_QUESTION.name: LOOSE_QUESTION} if loose else {}
    return [
        loosened.get(guard.name, guard) for guard in guards if guard.name not in without
    ]


def find_rejection(source: str, text: str, guards: Iterable[Guard]) -> Rejection | None:
    """Return the objection of the first guard that has one."""
    for guard in guards:
        reason = guard.check(source, text)
        if reason:
            return Rejection(guard.name, reason)
    return None


def describe_rejections(rejections: Sequence[Rejection]) -> str:
    """Say in one sentence why every candidate was rejected."""
    reasons = list(dict.fromkeys(rejection.reason for rejection in rejections))
    *others, last = reasons
    return f"all candidates {', '.join(others)}{' or ' if others else ''}{last}"
