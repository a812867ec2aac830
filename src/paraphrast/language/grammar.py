"""What function words express: negation, questions, requests, limits of dates, gender.

A text gives a person's gender by a pronoun, by a noun ("mother", "Mr") or by a given
name that is usually male or usually female. Other texts leave it open.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from paraphrast.language.names import find_names, strip_clitic
from paraphrast.language.sentence import Sentence, read
from paraphrast.language.stemming import root
from paraphrast.language.words import CLAUSE_ENDS, HE, NEGATORS, SHE, find_words
from paraphrast.text.word_lists import read_rows

_NO_DENIAL = frozenset(("but", "only", "less", "doubt", "matter", "more", "sooner"))
_ANSWERS = frozenset(("no", "nay"))
_PREFIXES = ("un", "in", "im", "dis", "non", "il", "ir")
_SHORTEST = 4  # letters after a prefix
# What a denial can become, or come from, in other words.
_IMPLIED = regex.compile(
    r"\b(?:no (?:doubt|matter|more|sooner|wonder)|not (?:only|merely|but)|"
    r"(?:why|or) not?|n(?:one|ever)[- ]the[- ]?less|don['’]t you (?:know|think)|"
    r"little|less|few|seldom|rarely|only|else|except|unless|until|till|lest|ere|"
    r"instead|too|free|against|forget|zero|mute|barring|beyond|rather than|in lieu|"
    r"out of the question|an? end|"
    r"(?:refrai|in(?:cap|ab)|hesita|refus|den[iy]|fail|lack|ceas|stop|forb|"
    r"prevent|avoid|miss|los[est]|doubt|wrong|false|empty|absen|bewar|hat[ei]|"
    r"un(?!der|t|cle)|impossib|dis(?!h|c))\p{L}+|\p{L}{3,}less)\b"
    r"|[,—–-]\s*\w+n['’]t (?:it|he|she|they|you|we|I)\?",
    regex.IGNORECASE,
)


def find_negators(sentence: Sentence) -> list[int]:
    """Return the positions of a text's negators.

    An answer "no," negates no word, and "nothing but", "not only" and "no less" are not
    negations.
    """
    texts = [word.text for word in sentence.words] + [""]
    return [
        at
        for at, text in enumerate(texts)
        if text in NEGATORS
        and texts[at + 1] not in _NO_DENIAL
        and not (text in _ANSWERS and texts[at + 1] in CLAUSE_ENDS)
    ]


def count_denials(text: str) -> int:
    """Count the negations of a text; one continued with "nor" counts once.

    "No!" as a whole text counts, too; "or not" at the end of a question does not.
    """
    sentence = read(text)
    negators = [
        sentence.words[at].text
        for at in find_negators(sentence)
        if not _is_alternative(sentence, at)
    ]
    first = [word for word in negators if word not in ("nor", "neither")]
    said = {word.text for word in sentence.words if word.text[0].isalnum()}
    is_answer = bool(said) and said <= _ANSWERS
    return len(first) or min(1, len(negators)) or int(is_answer)


def _is_alternative(sentence: Sentence, at: int) -> bool:
    """Say whether a negation is the other half of a question: "open or not"."""
    words = sentence.words
    ended = at + 1 == len(words) or not words[at + 1].text[0].isalnum()
    return at > 0 and words[at - 1].text == "or" and ended


def count_implied_denials(text: str) -> int:
    """Count the words and phrases that can express a negation."""
    return len(_IMPLIED.findall(text))


def strip_negative_affix(word: str) -> str:
    """Return "kind" for "unkind" and "help" for "helpless"; otherwise nothing."""
    if word.endswith("less") and len(word) >= _SHORTEST + 4:
        return word.removesuffix("less")
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) >= len(prefix) + _SHORTEST:
            return word.removeprefix(prefix)
    return ""


_FINAL = ".!?"
_WH = r"who|whose|whom|what|which|where|when|why|how"
_ASKS = regex.compile(r"\?['\"”’)]*\s*\Z")
_ASKS_FIRST = regex.compile(r"\?['\"”’)]*\s+\S")
_TELLS = regex.compile(r"\.['\"”’)]*\s*\Z")
_INDIRECT = regex.compile(
    r"\b(?:ask|wonder|whether|tell me|pray|know|please|pls|grateful if|kind enough)",
    regex.IGNORECASE,
)
# A question in the form of a statement or a request.
_TO_KNOW = regex.compile(
    rf"\b(?:explain|tell (?:me|us)|wonder\p{{L}}*|(?:asked|not clear|no idea|idk)\b.*?"
    rf"\b(?:{_WH}|whether|if))\b",
    regex.IGNORECASE | regex.DOTALL,
)
# A request in the form of a question.
_POLITE = regex.compile(
    r"\b(?:(?:would|could|can|might) (?:you|any(?:one|body)|some(?:one|body))|"
    r"(?:may|might|could) I (?:ask|trouble|beg)|(?:wilt|canst) thou)\b[^?]*\?",
    regex.IGNORECASE,
)
# A clause that begins as questions do, which talk may leave without a mark, and a
# question word with the order of questions anywhere.
_ASKING = (
    r"is|are|am|was|were|do|does|did|have|has|had|can|could|will|would|shall|should|may|"
    r"might|must"
)
_QUESTION_ORDER = regex.compile(
    r"(?:\A|[.,;:!?…])\W*(?:(?:and|but|so|well|then|hey|hi|hello|wait|omg|yo|lol|fr|tho|"
    r"though|right|ok|okay|uh|um|please|pls|you know)\b\W*)*"
    rf"(?:(?:{_WH}|{_ASKING})(?:\b|n['’]t)|(?:who|what|when|where|why|how)s\b|"
    r"r (?:u|we|they)\b|any(?:one|body) (?:got|know|have|want|seen|fancy|here)\b)"
    rf"|\b(?:{_WH}) (?:{_ASKING}) (?:I|you|u|he|she|it|we|they|the|this|that|there)\b",
    regex.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Say whether a text ends with a question mark."""
    return bool(_ASKS.search(text))


def asks_before_the_end(text: str) -> bool:
    """Say whether something follows a question in a text."""
    return bool(_ASKS_FIRST.search(text))


def is_statement(text: str) -> bool:
    """Say whether a text ends with a full stop."""
    return bool(_TELLS.search(text))


def asks_indirectly(text: str) -> bool:
    """Say whether a text has an indirect question."""
    return bool(_INDIRECT.search(text))


def asks_to_know(text: str) -> bool:
    """Say whether a text asks without a question: "explain why", "she asked how"."""
    return bool(_TO_KNOW.search(text))


def has_question_order(text: str) -> bool:
    """Say whether a clause has the word order of a question."""
    return bool(_QUESTION_ORDER.search(text))


def asks_politely(text: str) -> bool:
    """Say whether a text is a request in the form of a question."""
    return bool(_POLITE.search(text))


def find_final_mark(sentence: Sentence) -> str:
    """Return the final punctuation mark of a text if it ends a sentence, or nothing."""
    for word in reversed(sentence.words):
        if word.text in _FINAL:
            return word.text
        if word.text[0].isalnum():
            return ""
    return ""


_DAY = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|"
    r"December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|tomorrow|tonight|noon|"
    r"midnight|dawn|nightfall|next|the end|then)"
)
_DATE = rf"(?=\s+(?:the\s+)?(?:\d(?![\d.,]*\s*(?:%|per ?cent))|{_DAY}))"
_END = (
    r"end(?:s|ed|ing|eth)?|expir\p{L}+|finish\p{L}*|conclud\p{L}+|clos\p{L}+|ceas\p{L}+|"
    r"over|terminat\p{L}+|until|till|done|up|no more|no longer|lasts?|out|stops?"
)


@dataclass(frozen=True, slots=True)
class _Limit:
    """A pattern for a limit in a source, and one for its rewrites."""

    shown: regex.Pattern[str]
    said: regex.Pattern[str]


def _limit(shown: str, others: str) -> _Limit:
    return _Limit(
        regex.compile(rf"\b(?:{shown})", regex.IGNORECASE),
        regex.compile(rf"\b(?:{shown}|{others})\b", regex.IGNORECASE),
    )


_LIMITS = (
    _limit(r"unless\b", "if|except|save|without|but|lest|only when"),
    _limit(r"(?:un)?til(?:l)?\b", "before|ere|to|unto|by|up to|as long as|while|when"),
    _limit(
        r"before\b(?!\s*[,.;:!?\"]|\s*\Z)",
        "ere|prior|by|until|till|afore|ahead|in advance|previous|first|early|earlier",
    ),
    _limit(
        r"after\b(?!\s+all\b|\s*[,.;:!?\"]|\s*\Z)",
        "since|following|once|when|past|later|upon|then|next|as soon as|afterwards?",
    ),
    _limit(rf"by{_DATE}", "before|until|till|ere|no later|at the latest|on or before"),
    _limit(
        r"due\b(?!\s+to\b)",
        r"by|pa(?:y|id|yable)\p{L}*|ow(?:ed|ing|e)|deadline|before|expected|arriv\p{L}+",
    ),
    _limit(rf"ends?\b(?=[^.?!]*\s(?:\d|{_DAY}))", _END),
    _limit(r"tomorrow\b|tmrw?\b", r"to-morrow|morrow|next day|2moro|tmo\p{L}*"),
    _limit(r"yesterday\b", r"ye?st\p{L}*|yday|day before|other day|day-old|last"),
    _limit(r"tonight\b", "to-night|2nite|2night|tonite|night|evening|eve"),
    _limit(r"at least\b", "at the least|no less|not less|minimum|or more|more"),
    _limit(r"at most\b", "at the most|no more|not more|up to|maximum|or less|or fewer"),
    _limit(r"(?:more|longer) than\b(?=\s+\p{L}*\s*\d)", "over|above|beyond|upwards"),
    _limit(r"(?:less|fewer) than\b(?=\s+\p{L}*\s*\d)", "under|below|within"),
    # How far a statement holds. "I only asked" is not "only three came".
    _limit(
        r"(?<!\b(?:i|we|he|she|they|you|it|have|has|had|\p{L}+['’]ve|it['’]s|is|are|was|"
        r"were|if|not) )only\b(?!\s+(?:to|if|when|then|that|be|ha[sd]|\p{L}+ed)\b)",
        r"only|just|but|alone|sole(?:ly)?|mere(?:ly)?|no|not|none|nothing|nought|naught|"
        r"nobody|never|cannot|exclusiv\p{L}*|single|save|limited|\p{L}+n['’]t|except|yet|"
        r"without|simply|nor|lone(?:ly)?|solitary|all|barely|scarce(?:ly)?|hardly|few|"
        r"little|unless|pure(?:ly)?|maximum|at most|until|till|one|once|confined|"
        r"restricted|reserved|must",
    ),
    _limit(
        r"always\b(?!\s+(?:welcome|wanted))",
        r"alway|ever\p{L}*|all\p{L}*|constant\p{L}*|each|forever|invariab\p{L}*|never|"
        r"without fail|continual\p{L}*|whenever|still|keeps?|kept|perpetual\p{L}*|"
        r"no time|habit\p{L}*|wont|usual\p{L}*|as a rule|any\p{L}*|so oft\p{L}*|no one|"
        r"nobody|\p{L}+n['’]t|not",
    ),
    _limit(
        r"(?:all of (?:it|them|us|you)|every(?:one|body|thing))\b"
        r"(?! (?:all right|ok|okay|alright))",
        r"all|every\p{L}*|each|whole|entire\p{L}*|both|any\p{L}*|complete\p{L}*|never|"
        r"full\p{L}*|total\p{L}*|lot|no one|none|nobody|nothing|we|us|they|them|folks?|"
        r"people|man|men|utter\p{L}*|world|you|ye|universal\p{L}*|guests?|those|thou|"
        r"\p{L}+n['’]t|as many|who\p{L}*|things?|god",
    ),
    _limit(
        r"most (?:of|people|men|women|days|nights|weeks)\b",
        r"majority|mostly|many|great\p{L}* part|best part|bulk|almost|nearly|largely|"
        r"main\p{L}*|generally|commonly|usually|more than half|all but|the more part|"
        r"the most|mo\p{L}*|well-nigh|nigh|often|few",
    ),
)  # fmt: skip


def find_lost_limits(source: str, text: str) -> list[str]:
    """Return the limiting words of a source that have no counterpart in a text."""
    matches = ((limit, limit.shown.search(source)) for limit in _LIMITS)
    return [
        match[0] for limit, match in matches if match and not limit.said.search(text)
    ]


_AGE = regex.compile(
    r"\b(?:at least|over|under|above|below|older than|younger than)\s+\d+"
    r"(?!\s+(?!years?\b|to\b|and\b|or\b|in\b|without\b|at\b)\p{L})",
    regex.IGNORECASE,
)
_COUNTED = regex.compile(
    r"\b\d+ (?:persons|people|men|women|souls|guests|children)\b", regex.IGNORECASE
)


def find_added_crowd(source: str, text: str) -> str:
    """Return people that a text makes of an age ("16 persons"), or nothing."""
    if not _AGE.search(source) or _COUNTED.search(source):
        return ""
    match = _COUNTED.search(text)
    return match[0] if match else ""


_GENDERS = {
    kind: frozenset(words.split())
    for kind, words in read_rows("paraphrast.language", "genders.txt")
}
_SAID = {HE: _GENDERS["he"], SHE: _GENDERS["she"]}
# Words that show that a text speaks of a man, or of a woman.
_SHOWN = {
    HE: _SAID[HE] | _GENDERS["men"] | _GENDERS["partners"] | _GENDERS["men's names"],
    SHE: _SAID[SHE]
    | _GENDERS["women"]
    | _GENDERS["partners"]
    | _GENDERS["women's names"],
}
# A possessive that stands for a thing, and the words that ask for a thing after them.
_POSSESSIVES = {
    "mine": ("my", "mine"),
    "yours": ("your", "thy", "thine", "ur"),
    "hers": ("her",),
    "ours": ("our",),
    "theirs": ("their",),
}
_OWNED = regex.compile(
    r"\b(my|mine|your|thy|thine|ur|her|our|their)\s+([\p{L}'’-]+)(?:\s+([\p{L}'’-]+))?",
    regex.IGNORECASE,
)


def find_added_gender(source: str, text: str) -> str:
    """Return a pronoun by which a text adds a gender, or nothing.

    Nothing is returned if the source has an indefinite person ("someone"), which older
    English calls "he", and if it neither names anyone nor mentions men or women.
    """
    words = frozenset(_list_lower_words(source))
    supported = {
        person for person, shown in _SHOWN.items() if not words.isdisjoint(shown)
    }
    names = {name.lower() for name in find_names(source)} - _GENDERS["dates"]
    if not (names or supported):
        return ""
    for word in _list_lower_words(text):
        for person, forms in _SAID.items():
            generic = person == HE and not words.isdisjoint(_GENDERS["anybody"])
            if word in forms and person not in supported and not generic:
                return word
    return ""


def find_added_possession(source: str, text: str) -> str:
    """Return a noun that a text adds to "mine" without support, or nothing.

    "I forgot mine" may become "I forgot my charger" where there is one, and not "my
    memory".
    """
    words = frozenset(_list_lower_words(source))
    for absolute, forms in _POSSESSIVES.items():
        if absolute not in words or _stands_alone(text):
            continue
        source_roots = read(source).roots
        for owner, *things in _find_owned(text):
            near = [thing for thing in things if thing]
            if owner in forms and not any(
                root(thing) in source_roots for thing in near
            ):
                return f"{owner} {near[0]}"
    return ""


def _stands_alone(text: str) -> bool:
    return not _GENDERS["without a noun"].isdisjoint(_list_lower_words(text))


def _find_owned(text: str) -> Iterator[tuple[str, str, str]]:
    for match in _OWNED.finditer(text):
        owner, first, second = match.groups()
        yield owner.lower(), first.lower(), (second or "").lower()


def _list_lower_words(text: str) -> list[str]:
    return [strip_clitic(word).lower() for word in find_words(text)]
