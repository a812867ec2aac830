"""Mechanical corruptions: texts that are nearly fluent but say something else.

Each function takes a text and a random generator and returns the text changed in one
thing, or nothing where there is nothing to change. `KINDS` names them all. Forms of old
English are among the words, since versions in every style are corrupted.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

Change = Callable[[str, random.Random], str | None]


def _read_swaps(groups: str) -> dict[str, list[str]]:
    """Read lines ``a|b|c``: each word may become any other of its line."""
    swaps: dict[str, list[str]] = {}
    for line in groups.strip().splitlines():
        words = [word.strip() for word in line.split("|")]
        for word in words:
            swaps.setdefault(word, []).extend(w for w in words if w != word)
    return swaps


_ORDER = _read_swaps("""
before|after|since|until
ere|after|since
till|since|before
unless|if
because|although|unless
since|until
when|before|unless
while|after|before
if|because|although
for|against
with|without
by|after
lest|because
first|last
earlier|later
early|late
yesterday|tomorrow|today
tonight|last night|tomorrow night
this morning|tomorrow morning|last night
next week|last week|this week
next year|last year
last month|next month
ago|from now
already|not yet
now|later|then
soon|long ago
again|for the first time
beforehand|afterwards
so that|because
and|or
but|because
from|to
into|out of
in|outside|behind
under|over|above
inside|outside
up|down
here|there|elsewhere
""")
_DEGREE = _read_swaps("""
all|some|few|half of
every|hardly any|almost every|every other
each|one
many|few|several
most|few|some
more|less|fewer
much|little
always|sometimes|never|often
often|seldom|always|rarely
usually|sometimes|never
sometimes|always|never
at least|at most|exactly|about
at most|at least
about|exactly|at least
almost|more than|not nearly
nearly|more than|less than
only|also|at least
both|neither|one
everybody|nobody|somebody
everyone|no one|someone
everything|nothing|something
nobody|everybody
nothing|everything|something
anything|everything
must|may|need not
may|must|will
might|will|must
should|need not|must
could|had to
can|must|cannot
will|might|won't
shall|shall not|may
probably|certainly|possibly
perhaps|certainly
maybe|definitely
certainly|perhaps
surely|hardly
very|hardly|a little
quite|hardly
too|not too
enough|not enough
twice|once|three times
once|twice
best|worst
better|worse
biggest|smallest
largest|smallest
first|second|third
half|all|a third
double|half
daily|weekly
weekly|monthly|daily
""")
_ANTONYMS = _read_swaps("""
good|bad
great|terrible
big|small
large|small
long|short
high|low
hot|cold
warm|cold
old|new|young
easy|hard
early|late
fast|slow
quick|slow
quickly|slowly
happy|sad|angry
glad|sorry
love|hate
loved|hated
loves|hates
like|dislike
liked|disliked
right|wrong
true|false
open|closed|shut
opened|closed
opens|closes
begin|end
begins|ends
began|ended
start|finish
starts|ends
started|stopped|finished
stop|go on
come|go
comes|goes
came|went
arrive|leave
arrived|left
buy|sell
bought|sold
give|take
gave|took
lend|borrow
lent|borrowed
win|lose
won|lost
find|lose
found|lost
remember|forget
remembered|forgot
accept|refuse
accepted|refused
agree|disagree
agreed|refused
allow|forbid
allowed|forbidden
ask|tell
asked|told
answer|ask
raise|lower
rise|fall
rose|fell
increase|decrease
increased|decreased
push|pull
send|receive
sent|received
teach|learn
full|empty
clean|dirty
wet|dry
light|dark|heavy
strong|weak
rich|poor
safe|dangerous
cheap|expensive
free|busy
near|far
left|right
north|south|east|west
day|night
morning|evening|afternoon
noon|midnight
summer|winter
spring|autumn
man|woman
boy|girl
father|mother
mother|sister|father
brother|sister
son|daughter
husband|wife
uncle|aunt
king|queen
friend|enemy|neighbour
front|back
top|bottom
inside|outside
public|private
same|different
possible|impossible
correct|incorrect
able|unable
alone|together
asleep|awake
alive|dead
present|absent
success|failure
passed|failed
kept|threw away
keep|throw away
bring|take
brought|took
wait|leave
waited|left
hope|fear
hoped|feared
believe|doubt
trust|distrust
broken|mended
lost|found
loud|quiet
loudly|quietly
sweet|bitter
thick|thin
wide|narrow
tall|short
upstairs|downstairs
red|blue|green
black|white
blue|yellow|grey
green|brown
bus|train|taxi
car|bicycle|van
train|plane|bus
tea|coffee
coffee|tea|juice
bread|cheese|rice
dog|cat|horse
cat|dog|rabbit
house|shop|school
kitchen|bathroom|garden
letter|parcel|phone call
email|letter
book|film|song
film|book|play
phone|laptop|camera
doctor|teacher|lawyer
teacher|nurse|manager
manager|customer|driver
boss|neighbour|landlord
hour|day|minute
hours|days|minutes
day|week|month
days|weeks|months
week|month|year
weeks|months|years
month|year|week
months|years|days
year|month|week
years|months|weeks
pounds|dollars|euros
miles|metres
table|chair|bed
door|window|gate
window|door|roof
hand|foot|head
rain|snow|sun
river|lake|road
town|village|city
road|bridge|path
money|time|food
child|dog|parent
children|parents|dogs
office|factory|hospital
school|hospital|library
meeting|lunch|party
report|invoice|contract
""")
_NUMBER_WORDS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy
    eighty ninety hundred thousand million
"""
_NUMBERS = _NUMBER_WORDS.split()
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MONTH_NAMES = """
    January February March April May June July August September October November
    December
"""
_MONTHS = _MONTH_NAMES.split()
_PERSONS = (
    {"i": "you", "me": "you", "my": "your", "mine": "yours", "you": "I", "your": "my",
     "yours": "mine", "i'm": "you're", "you're": "I'm", "i've": "you've",
     "you've": "I've",
     "i'll": "you'll", "you'll": "I'll", "thou": "I", "thee": "me", "thy": "my"},
    {"he": "she", "him": "her", "his": "her", "she": "he", "her": "him", "hers": "his"},
    {"i": "we", "me": "us", "my": "our", "we": "they", "us": "them", "our": "their",
     "they": "we", "them": "us", "their": "our", "we're": "they're",
     "they're": "we're"},
    {"i": "he", "me": "him", "my": "his", "he": "I", "him": "me", "his": "my",
     "she": "I", "we": "you", "our": "your", "they": "he", "them": "him",
     "their": "his"},
)  # fmt: skip
_NOT_REMOVED = (
    (
        r"\b(do|does|did|is|are|was|were|has|have|had|would|should|could|must|need)"
        r"(?:n['\u2019]t| not)\b",
        r"\1",
    ),
    (r"\bcan(?:['\u2019]t|not| not)\b", "can"),
    (r"\b(?:won['\u2019]t|will not)\b", "will"),
    (r"\bshan['\u2019]t\b", "shall"),
    (r"\b(?:dont|don't)\b", "do"),
    (r"\bcant\b", "can"),
    (r"\bnever\b", "always"),
    (r"\bno longer\b", "still"),
    (r"\bno one\b", "everyone"),
    (r"\bnobody\b", "everybody"),
    (r"\bnothing\b", "everything"),
    (r"\bnone\b", "all"),
    (r"\bneither\b", "both"),
    (r"\bno\b(?= \w)", "some"),
    (r"\bnot\b ?", ""),
    (r"\bwithout\b", "with"),
    (r"\bunable\b", "able"),
    (r"\bain['\u2019]t\b", "is"),
    (r"\b(?:refused|declined) to\b", "agreed to"),
    (r"\bfailed to\b", "managed to"),
)
_NOT_ADDED = (
    (
        r"\b(is|are|was|were|am|has|have|had|will|would|should|could|must|may|might|"
        r"shall|did|does|do|hath|doth|art|hast|shalt|wilt)\b(?! not|n't)",
        r"\1 not",
    ),
    (r"\b(can)\b(?! not)", r"cannot"),
    (r"\b(I'm|you're|he's|she's|it's|we're|they're|that's|there's)\b", r"\1 not"),
    (r"\b(I'll|you'll|he'll|she'll|we'll|they'll|it'll)\b", r"\1 not"),
    (r"^(Please )", r"\1do not "),
    (r"\b(to) (\w{3,})\b", r"\1 not \2"),
    (r"\b(always|still)\b", r"never"),
)
_TENSES = (
    (r"\bwill be\b", "was"), (r"\bwill\b", "did"), (r"\b(\w+)'ll\b", r"\1 would have"),
    (r"\bis\b", "was"), (r"\bare\b", "were"), (r"\bwas\b", "will be"),
    (r"\bwere\b", "will be"), (r"\bhas\b", "will have"), (r"\bhave\b", "had"),
    (r"\bhad\b", "will have"), (r"\bam\b", "was"), (r"\bgoing to\b", "used to"),
    (r"\bgonna\b", "used to"), (r"\bI'm\b", "I was"), (r"\bshall\b", "did"),
    (r"\bhath\b", "shall have"), (r"\bdid\b", "will"), (r"\bcame\b", "will come"),
    (r"\bwent\b", "will go"), (r"\bsaid\b", "will say"), (r"\bcan\b", "could once"),
)  # fmt: skip
_ACTORS = re.compile(
    r"\b(I|he|she|we|they|you)( \w+(?:ed|d|t|ew|s|ave|old|aw|ook|ent)) "
    r"(me|him|her|us|them|you)\b"
)
_OBJECT = {
    "I": "me", "he": "him", "she": "her", "we": "us", "they": "them", "you": "you",
}  # fmt: skip
_SUBJECT = {objective: subject for subject, objective in _OBJECT.items()}
_FRONT = re.compile(
    r"^(is|are|was|were|do|does|did|can|could|will|would|have|has|had|should|shall|"
    r"may) "
    r"(I|you|he|she|it|we|they|the \w+|your \w+|my \w+|that|this|there|[A-Z]\w+) ",
    re.IGNORECASE,
)


_BEGINNING = re.compile(
    r"^(I|You|He|She|It|We|They|The \w+) "
    r"(is|are|was|were|can|will|has|have|should) "
)
_CLAUSES = re.compile(
    r"(,\s+|;\s+|:\s+|\s+/\s+|\.\s+|\s+(?=(?:and|but|because|although|if|unless|when|"
    r"until|so|who|which|after|before)\s))"
)
_PHRASE = re.compile(
    r" (?:in|on|at|with|for|from|by|to|of|near|behind|under|about|until|since) "
    r"(?:the |a |an |my |your |his |her |our |their |this |that )?[\w'-]+(?: [\w'-]+)?"
    r"(?=[,.;!?]|$| and| but)",
    re.IGNORECASE,
)


def _draw_match(
    text: str, pattern: re.Pattern[str] | str, draw: random.Random
) -> re.Match[str] | None:
    """Return a random match of a pattern, or None."""
    ready = pattern if isinstance(pattern, re.Pattern) else _compile(pattern)
    matches = list(ready.finditer(text))
    return draw.choice(matches) if matches else None


def _replace_match(text: str, match: re.Match[str], new: str) -> str:
    old = match.group(0)
    if old[:1].isupper() and new:
        new = new[0].upper() + new[1:]
    made = text[: match.start()] + new + text[match.end() :]
    made = re.sub(r" +", " ", made).strip()
    if text[:1].isupper() and made:
        made = made[0].upper() + made[1:]
    return made


def _apply_rules(
    text: str, rules: Sequence[tuple[str, str]], draw: random.Random
) -> str | None:
    order = list(rules)
    draw.shuffle(order)
    for pattern, new in order:
        match = _draw_match(text, pattern, draw)
        if match:
            return _replace_match(text, match, match.expand(new))
    return None


def _apply_table(
    text: str, table: Mapping[str, Sequence[str]], draw: random.Random
) -> str | None:
    pattern = (
        r"\b(?:"
        + "|".join(sorted(map(re.escape, table), key=len, reverse=True))
        + r")\b"
    )
    match = _draw_match(text, _compile(pattern), draw)
    if not match:
        return None
    return _replace_match(text, match, draw.choice(list(table[match.group(0).lower()])))


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def change_negation(text: str, draw: random.Random) -> str | None:
    """Remove a negation, or insert one."""
    removed = _apply_rules(text, _NOT_REMOVED, draw)
    if removed is not None and draw.random() < 0.8:
        return removed
    return _apply_rules(text, _NOT_ADDED, draw)


def change_number(text: str, draw: random.Random) -> str | None:
    """Change a figure, a number in words, a day or a month."""
    changed: list[str] = []
    figure = _draw_match(text, r"\d+", draw)
    if figure:
        new = _change_digit(figure.group(0), draw)
        changed += [_replace_match(text, figure, new)] * 2
    word = _draw_match(text, r"\b(?:" + "|".join(_NUMBERS) + r")\b", draw)
    if word:
        at = _NUMBERS.index(word.group(0).lower())
        near = [n for n in range(at - 3, at + 4) if n != at and 0 <= n < len(_NUMBERS)]
        changed.append(_replace_match(text, word, _NUMBERS[draw.choice(near)]))
    for group in (_DAYS, _MONTHS):
        match = re.search(r"\b(?:" + "|".join(group) + r")\b", text)
        if match:
            others = [name for name in group if name != match.group(0)]
            changed.append(_replace_match(text, match, draw.choice(others)))
    half = _draw_match(text, r"\b(?:a\.m\.|p\.m\.|am|pm)(?=\W|$)", draw)
    if half and figure:
        new = {"a": "p", "p": "a"}[half.group(0)[0].lower()] + half.group(0)[1:]
        changed.append(_replace_match(text, half, new))
    return draw.choice(changed) if changed else None


def _change_digit(figure: str, draw: random.Random) -> str:
    at = draw.randrange(len(figure))
    others = [d for d in "0123456789" if d != figure[at] and (at or d != "0")]
    return figure[:at] + draw.choice(others) + figure[at + 1 :]


def change_person(text: str, draw: random.Random) -> str | None:
    """Change the person of every matching pronoun, or of only one."""
    tables = list(_PERSONS)
    draw.shuffle(tables)
    for table in tables:
        pattern = _compile(r"\b(?:" + "|".join(map(re.escape, table)) + r")\b(?!')")
        if not pattern.search(text):
            continue
        if draw.random() < 0.5:
            made = pattern.sub(lambda m, t=table: t[m.group(0).lower()], text)  # type: ignore[misc]
            return made[0].upper() + made[1:] if text[0].isupper() else made
        match = _draw_match(text, pattern, draw)
        if match:
            return _replace_match(text, match, table[match.group(0).lower()])
    return None


def swap_actors(text: str, draw: random.Random) -> str | None:
    """Swap the agent and the patient."""
    match = _draw_match(text, _ACTORS, draw)
    if match and match.group(1) in _OBJECT:
        first, verb, second = match.groups()
        new = f"{_SUBJECT[second.lower()]}{verb} {_OBJECT[first]}"
        return (
            _replace_match(text, match, new)
            if new.lower() != match.group(0).lower()
            else None
        )
    names = list(dict.fromkeys(_find_names(text)))
    if len(names) >= 2:
        first, second = draw.sample(names, 2)
        swapped = re.sub(rf"\b{re.escape(first)}\b", "\0", text)
        swapped = re.sub(rf"\b{re.escape(second)}\b", first, swapped)
        return swapped.replace("\0", second)
    return None


def _find_names(text: str) -> list[str]:
    """Return the names inside a text as they are written, with repetitions.

    Not `language.names`, which gives them in lower case and leaves out those that
    are also words: here names take each other's places, and a miss costs nothing.
    """
    listed = re.findall(r"(?<![.!?:\"/—#] )(?<!^)(?<!\w)[A-Z][a-z]{2,}\b", text)
    skipped = {*_DAYS, *_MONTHS, "The", "And", "But", "Sir", "Madam"}
    return [name for name in listed if name not in skipped]


def omit_part(text: str, draw: random.Random) -> str | None:
    """Leave out a clause, or a phrase that begins with a preposition."""
    size = len(text.split())
    if size < 6:
        return None
    parts = _CLAUSES.split(text)
    if len(parts) > 1 and draw.random() < 0.75:
        clauses = enumerate(len(clause.split()) for clause in parts[::2])
        long = [at for at, words in clauses if 2 <= words < size - 2]
        if long:
            return _finish(_drop_clause(parts, draw.choice(long)), text)
    match = _draw_match(text, _PHRASE, draw)
    if match and size > 6:
        return _finish(text[: match.start()] + text[match.end() :], text)
    return None


def _drop_clause(parts: Sequence[str], dropped: int) -> str:
    """Join clauses, which alternate with their separators, omitting one."""
    clauses, marks = list(parts[::2]), list(parts[1::2])
    del marks[min(dropped, len(marks) - 1)]
    del clauses[dropped]
    rest = zip(marks, clauses[1:], strict=True)
    return clauses[0] + "".join(mark + clause for mark, clause in rest)


def _finish(made: str, text: str) -> str | None:
    made = re.sub(r"\s+([,.;!?])", r"\1", " ".join(made.split())).strip(" ,;:/")
    if not made or len(made.split()) < 2:
        return None
    if text[0].isupper():
        made = made[0].upper() + made[1:]
    if text[-1] in ".!?" and made[-1].isalnum():
        made += text[-1]
    return made


def change_order(text: str, draw: random.Random) -> str | None:
    """Change a word of time, order, cause, condition or place."""
    return _apply_table(text, _ORDER, draw)


def change_degree(text: str, draw: random.Random) -> str | None:
    """Change how much, how often, how surely."""
    return _apply_table(text, _DEGREE, draw)


def use_antonym(text: str, draw: random.Random) -> str | None:
    """Substitute a word with the opposite or another sense."""
    return _apply_table(text, _ANTONYMS, draw)


def change_tense(text: str, draw: random.Random) -> str | None:
    """Put a verb into another tense."""
    return _apply_rules(text, _TENSES, draw)


def change_mood(text: str, draw: random.Random) -> str | None:
    """Turn a question into a statement, or occasionally the reverse."""
    if text.endswith("?"):
        return _state(text)
    if draw.random() < 0.3 and len(text.split()) > 3 and text.endswith("."):
        return _ask(text)
    return None


def _state(text: str) -> str | None:
    match = _FRONT.match(text)
    if not match:
        return None
    verb, subject = match.groups()
    verb = "" if verb.lower() in ("do", "does", "did") else f"{verb.lower()} "
    return f"{subject[0].upper()}{subject[1:]} {verb}{text[match.end() : -1]}."


def _ask(text: str) -> str | None:
    match = _BEGINNING.match(text)
    if not match:
        return None
    subject, verb = match.groups()
    own = subject if subject == "I" else subject[0].lower() + subject[1:]
    return f"{verb.capitalize()} {own} {text[match.end() : -1]}?"


class Replacer:
    """Replaces names and content words with others seen in other texts."""

    def __init__(
        self, texts: Sequence[str], neighbours: Mapping[str, Sequence[str]]
    ) -> None:
        """Collect names and clauses; ``neighbours`` maps a word to similar words."""
        self.names = sorted({name for text in texts for name in _find_names(text)})
        self.neighbours = neighbours
        self.clauses = [
            clause.strip(" .;!?/")
            for text in texts
            for clause in re.split(r"[,;:.]\s+|\s/\s", text)
            if 3 <= len(clause.split()) <= 8
        ]

    def replace_name(self, text: str, draw: random.Random) -> str | None:
        """Substitute another name."""
        names = _find_names(text)
        if not names or not self.names:
            return None
        old = draw.choice(names)
        new = draw.choice(self.names)
        return re.sub(rf"\b{re.escape(old)}\b", new, text) if new != old else None

    def replace_word(self, text: str, draw: random.Random) -> str | None:
        """Replace a content word with a similar one."""
        matches = [
            match
            for match in re.finditer(r"\b[a-z]{4,}\b", text)
            if match.group(0) in self.neighbours
        ]
        if not matches:
            return None
        match = draw.choice(matches)
        return _replace_match(
            text, match, draw.choice(list(self.neighbours[match.group(0)]))
        )

    def add_clause(self, text: str, draw: random.Random) -> str | None:
        """Add a clause from another text."""
        if not self.clauses:
            return None
        clause = draw.choice(self.clauses)
        lowered = (
            clause if clause[:2] in ("I ", "I'") else clause[0].lower() + clause[1:]
        )
        mark = text[-1] if text[-1] in ".!?" else ""
        body = text.rstrip(".!?")
        capitalised = clause[0].upper() + clause[1:]
        return draw.choice(
            (
                f"{body}, and {lowered}{mark}",
                f"{body}, {lowered}{mark}",
                f"{body}{mark or '.'} {capitalised}{mark}",
                f"{capitalised}, {text[0].lower()}{text[1:]}",
            )
        )

    def list_kinds(self) -> dict[str, Change]:
        """Return all corruptions by kind."""
        return KINDS | {
            "name": self.replace_name,
            "content word": self.replace_word,
            "addition": self.add_clause,
        }


KINDS: dict[str, Change] = {
    "negation": change_negation,
    "number": change_number,
    "person": change_person,
    "actor": swap_actors,
    "omission": omit_part,
    "order": change_order,
    "degree": change_degree,
    "antonym": use_antonym,
    "tense": change_tense,
    "mood": change_mood,
}
