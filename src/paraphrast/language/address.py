"""The form of address of a text: "thou" or "you", to one or to several people.

"Ye" counts as "you". Formulas such as "thank you" and "I pray you" are ignored, as they
occur with both. `change_address` replaces one by the other if the words around each
pronoun leave no doubt about its case and its verb, and otherwise gives up.
"""

from typing import Literal, TypeAlias

import regex

from paraphrast.language.stemming import IRREGULAR_FORMS
from paraphrast.language.words import SMALL_WORDS, SUBJECTS, WORD
from paraphrast.text.word_lists import read_rows

Address: TypeAlias = Literal["thou", "you"]

_FORMS: dict[Address, str] = {
    "thou": "thou|thee|thy|thine|thyself",
    "you": "you|ye|your|yours|yourself|yourselves|you['’](?:re|ve|ll|d)",
}
_PATTERNS = {
    address: regex.compile(rf"\b(?:{forms})\b", regex.IGNORECASE)
    for address, forms in _FORMS.items()
}
_FORMULA = regex.compile(
    r"\b(?:thank|thanks to|pray|beseech|assure|cry|mark|look|hark) (?:you|ye)\b",
    regex.IGNORECASE,
)
_MANY = regex.compile(
    r"\b(?:(?:you|ye) (?:all|both|two|three|four|guys|lot|folks)|(?:all|both|some|most|"
    r"none|each|any|one) of (?:you|ye)|y['’]?all|yourselves|(?:hi|hello|hey|dear|good "
    r"(?:morning|afternoon|evening)|thanks|thank you|listen|sorry|welcome),? (?:all|"
    r"every(?:one|body)|team|folks|guys|both|friends|colleagues|neighbou?rs|parents|"
    r"members|residents|customers|students|guests|ladies|children|kids|boys|girls))\b",
    regex.IGNORECASE,
)


def count_address(text: str) -> dict[Address, int]:
    """Count the pronouns of either address."""
    said = _FORMULA.sub(" ", text)
    return {a: len(pattern.findall(said)) for a, pattern in _PATTERNS.items()}


def find_address(text: str) -> Address | None:
    """Return the majority form of address of a text, if it addresses anybody."""
    counts = count_address(text)
    if counts["thou"] == counts["you"] == 0:
        return None
    return "thou" if counts["thou"] >= counts["you"] else "you"


def keeps_address(text: str, address: Address) -> bool:
    """Say whether a text has no pronoun of the other address."""
    return not any(n for own, n in count_address(text).items() if own != address)


def addresses_many(text: str) -> bool:
    """Say whether a text shows that it speaks to several people."""
    return bool(_MANY.search(text))


def change_address(text: str, address: Address) -> str:
    """Return a text with one address throughout; empty if the grammar is in doubt."""
    changed = _to_you(text) if address == "you" else _to_thou(text)
    return changed if changed and keeps_address(changed, address) else ""


_KINDS = {
    kind: frozenset(words.split())
    for kind, words in read_rows("paraphrast.language", "address.txt")
}


def _read_verbs(kind: str) -> dict[str, str]:
    """Map verb forms used with "you" to those used with "thou"."""
    return dict(pair.split(":") for pair in _KINDS[kind])


AUXILIARIES_OF_YOU = _read_verbs("auxiliaries")  # with "you": with "thou"
_PAST_VERBS = _read_verbs("past verbs")
_VERBS = AUXILIARIES_OF_YOU | _read_verbs("verbs") | _PAST_VERBS
_OLD = {
    pair.split(":")[1]: pair.split(":")[0]
    for kind in ("auxiliaries", "verbs", "old verbs")
    for pair in _KINDS[kind]
}
_DOUBTFUL = frozenset(("art", "wilt"))  # which are nouns as well
_SECOND = regex.compile(r"\p{L}+(?:est|['’]st|dst)\Z", regex.IGNORECASE)
_PAST = regex.compile(r"\p{L}{3,}(?<!e)ed\Z", regex.IGNORECASE)  # and not "need"
_TO_YOU = {"thou": "you", "thee": "you", "thy": "your", "thyself": "yourself"}


def _to_you(text: str) -> str:
    words = list(WORD.finditer(text))
    lower = [match[0].lower().replace("’", "'") for match in words]
    edits: list[tuple[int, int, str]] = []
    for index, (match, word) in enumerate(zip(words, lower, strict=True)):
        before = lower[index - 1] if index else ""
        after = lower[index + 1] if index + 1 < len(lower) else ""
        new = _TO_YOU.get(word, "")
        if word == "thine":
            new = "yours" if not after or _ends_clause(text, match, after) else "your"
        elif word in _OLD and not (
            word in _DOUBTFUL
            and after != "thou"
            and before not in _KINDS["before a verb"]
        ):
            new = _OLD[word]
        elif "thou" in (before, after) and _SECOND.search(word):
            new = _find_verb(word)
            if not new and word not in _KINDS["nouns"]:
                return ""
        elif word in _DOUBTFUL:
            return ""
        if new and new != word:
            edits.append((match.start(), match.end(), new))
    return _apply(text, edits)


def _ends_clause(text: str, match: "regex.Match[str]", after: str) -> bool:
    """Say whether "thine" is a pronoun rather than a determiner."""
    apart = not text[match.end() : match.end() + 2].strip(" ").isalpha()
    return apart or (after in SMALL_WORDS and after != "own")


def _find_verb(word: str) -> str:
    """Return the verb of "knowest" or "camest" without its ending, if known."""
    for ending in ("'st", "est", "st"):
        form = word.removesuffix(ending)
        if form != word and (form in IRREGULAR_FORMS or form in _VERBS):
            return form
    return ""


_TO_THOU = {"yours": "thine", "yourself": "thyself"}
_CLITICS = {"you're": "thou art", "you've": "thou hast", "you'll": "thou wilt"}
# In "he came and told you" the past verb is of another subject.
_SECOND_VERB = regex.compile(
    rf"\b(?:and|but|or|nor) (?:{'|'.join(_VERBS)})\b"
    rf"(?!(?<={'|'.join(_PAST_VERBS)}) (?:you|ye)\b)",
    regex.IGNORECASE,
)


def _to_thou(text: str) -> str:
    if _SECOND_VERB.search(text):
        return ""
    words = list(WORD.finditer(text))
    lower = [match[0].lower().replace("’", "'") for match in words]
    edits: list[tuple[int, int, str]] = []
    for index, (match, word) in enumerate(zip(words, lower, strict=True)):
        around = _look_around(text, words, index)
        if word == "your":
            new = "thine" if around[2][:1] in tuple("aeiou") else "thy"
            edits.append((match.start(), match.end(), new))
        elif word in _TO_THOU or word in _CLITICS:
            new = _TO_THOU.get(word) or _CLITICS[word]
            edits.append((match.start(), match.end(), new))
        elif word in ("you", "ye"):
            own = _find_case(words, index, around)
            if not own:
                return ""
            edits += own
    return _apply(text, sorted(set(edits)))


def _look_around(
    text: str, words: "list[regex.Match[str]]", index: int
) -> tuple[str, str, str]:
    """Return the two words before and the one after, up to punctuation."""

    def beside(first: int, second: int) -> bool:
        return (
            first >= 0
            and second < len(words)
            and not text[words[first].end() : words[second].start()].strip()
        )

    before = words[index - 1][0].lower() if beside(index - 1, index) else ""
    far = words[index - 2][0].lower() if before and beside(index - 2, index - 1) else ""
    after = words[index + 1][0].lower() if beside(index, index + 1) else ""
    return far, before, after


def _find_case(
    words: "list[regex.Match[str]]", index: int, around: tuple[str, str, str]
) -> list[tuple[int, int, str]]:
    """Return the edits for a "you" that is clearly a subject or an object, or none."""
    far, before, after = around
    match = words[index]
    pronoun = match.start(), match.end()
    is_object = before in _KINDS["prepositions"] or before in _KINDS["governing verbs"]
    if before in AUXILIARIES_OF_YOU and far not in SUBJECTS:
        alone = not far or far in _KINDS["question words"]
        bare = before not in _KINDS["with a participle"]  # the verb after it stays
        if not alone and (
            not bare or after in AUXILIARIES_OF_YOU.keys() - {"have", "do"}
        ):
            return []
        verb = words[index - 1]
        return [(*pronoun, "thou"), (verb.start(), verb.end(), _put_old(verb))]
    verb = _find_own_verb(words, index, after)
    if verb is not None:
        old = _put_old(verb)
        # A participle may follow an object: "with you gone and me tired".
        is_object = before in _KINDS["governing verbs"] or (
            is_object and verb[0].lower() not in _VERBS
        )
        changes = [(*pronoun, "thou"), (verb.start(), verb.end(), old)]
        return changes if old and not is_object else []
    return (
        [(*pronoun, "thee")]
        if is_object and (not after or after in _KINDS["after an object"])
        else []
    )


def _find_own_verb(
    words: "list[regex.Match[str]]", index: int, after: str
) -> "regex.Match[str] | None":
    """Return the verb of a subject "you", possibly after an adverb."""
    if after in _KINDS["adverbs"] and index + 2 < len(words):
        return words[index + 2]
    return words[index + 1] if after in _VERBS or _PAST.search(after) else None


def _put_old(verb: "regex.Match[str]") -> str:
    """Return the form of a verb with "thou", if known."""
    word = verb[0].lower()
    return _VERBS.get(word) or (f"{word}st" if _PAST.search(word) else "")


def _apply(text: str, edits: list[tuple[int, int, str]]) -> str:
    """Apply edits, keeping capitals."""
    parts, position = [], 0
    for start, end, new in edits:
        capital = text[start].isupper()
        parts += [text[position:start], new[:1].upper() + new[1:] if capital else new]
        position = end
    return "".join((*parts, text[position:]))
