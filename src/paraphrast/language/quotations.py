"""Quotation marks, and who is said to speak."""

import regex

SPEECH_VERBS = (
    "said", "says", "saith", "saying", "answered", "replied", "cried", "returned",
    "added", "exclaimed", "continued", "asked", "observed", "remarked", "repeated",
    "murmured", "told", "quoth", "whispered", "shouted",
)  # fmt: skip
# Apostrophes that stand for letters at the beginning of a word.
ELIDED = regex.compile(
    r"['’](?:t(?:is|was|were|will|would|ween|wixt|ill?)|em|gainst|neath|bout|fore|cause|"
    r"scape|faith|t|n|s|d|ll)\b",
    regex.IGNORECASE,
)
WHO = r"(?:I|he|she|they|we|(?:the|his|her|my)(?: [\p{L}-]+){1,2})"
_QUOTED = regex.compile(r"[\"“”«»]|^['‘’]|['’]$|(?<=\s)['‘](?!t)")
_SAID = regex.compile(rf"\b(?:{'|'.join(SPEECH_VERBS)})\b", regex.IGNORECASE)
# Somebody named right before or after a verb of speech, as beside a quotation.
_SPEAKER = regex.compile(
    rf"[\"'’”,;.?!] (?:said|answered|replied|cried|returned|exclaimed|quoth) "
    rf"(?:{WHO}|\p{{Lu}}[\p{{L}}.]+)(?!\w)"
    rf"|[\"'’”] {WHO} (?:cried|exclaimed|murmured|whispered|observed|remarked|asked)\b"
    rf"|(?:\A\W*|[\"'’”,;.?!] |\b(?:[Aa]nd|[Tt]hen|[Bb]ut) ){WHO} "
    rf"(?:said|answered|replied|saith|quoth)\b(?! that\b)"
)
_SPEAKING = regex.compile(
    r"\b(?:sa(?:y|ys|id|ith|ying)|t(?:ell(?:s|ing)?|old)|ask(?:s|ed|ing)?|answer\p{L}*|"
    r"repl(?:y|ie[sd]|ying)|cr(?:y|ie[sd])|call\p{L}*|shout\p{L}*|whisper\p{L}*|"
    r"writ(?:es|ing)|wrote|quoth|exclaim\p{L}*|explain\p{L}*|announc\p{L}+|"
    r"insist\p{L}*|remark\p{L}*|murmur\p{L}*|suggest\p{L}*|warn\p{L}*|"
    r"sp(?:oke|eak|ake)\p{L}*)\b",
    regex.IGNORECASE,
)
_DOUBLE = '"“”«»„'
_DOUBLE_SET = frozenset(_DOUBLE)
_NEITHER = False, False
# Marks that can only open or only close a quotation; "th'" and "lords'" do neither.
_OPENS = regex.compile(r"(?<![\w'’])'(?=\p{L})")
_CLOSES = regex.compile(
    r"(?<=[.,?!;:])'(?!\w)|(?<=\p{L})(?<!s|\bth|\bo|\bi)'(?=[?!.,;:]*\Z)"
)
_CLOSES_INSIDE = regex.compile(r"(?<=\p{L})(?<!s|\bth|\bo|\bi|\bt)'(?=\s)")


def has_quotation(text: str) -> bool:
    """Say whether a text has quotation marks, as far as these show."""
    return bool(_QUOTED.search(text))


def has_speech(text: str) -> bool:
    """Say whether a text quotes or says that somebody spoke."""
    return has_quotation(text) or bool(_SAID.search(text))


def find_single_quotes(text: str) -> tuple[list[int], list[int]]:
    """Return the positions of straight single marks that open, and that close."""
    opened = [match.start() for match in _OPENS.finditer(text)]
    opened = [position for position in opened if not ELIDED.match(text, position)]
    closed = {match.start() for match in _CLOSES.finditer(text)}
    if opened:
        inside = _CLOSES_INSIDE.finditer(text, opened[0] + 1)
        closed.update(match.start() for match in inside)
    return opened, sorted(closed)


def count_double_quotes(text: str) -> int:
    """Count double quotation marks of every shape."""
    return sum(map(text.count, _DOUBLE))


def find_outer_quotes(text: str) -> tuple[bool, bool]:
    """Say whether a mark opens a text, and whether one closes it, and no other does.

    "It is late." has both; the first sentence of a longer quotation only opens.
    """
    first, last = text[:1] in _DOUBLE_SET, text[-1:] in _DOUBLE_SET
    if first or last:
        return (first, last) if count_double_quotes(text) == first + last else _NEITHER
    if count_double_quotes(text):
        return _NEITHER
    opened, closed = find_single_quotes(text.replace("‘", "'").replace("’", "'"))
    outer = opened == [0], closed == [len(text) - 1]
    return outer if len(opened) + len(closed) == sum(outer) else _NEITHER


def count_speakers(text: str) -> int:
    """Count the people who are said to speak: "said the king", "and he answered"."""
    return len(_SPEAKER.findall(text))


def count_speech_verbs(text: str) -> int:
    """Count the verbs that may tell of speech."""
    return len(_SPEAKING.findall(text))
