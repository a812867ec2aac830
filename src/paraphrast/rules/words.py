"""Look up words and phrases: contractions, slang, spelling, swear words, names."""

from collections.abc import Sequence
from dataclasses import replace

from paraphrast.rewriter import Sentence
from paraphrast.rules import fillers
from paraphrast.rules.draft import Draft, Plan, capitalise, draft
from paraphrast.rules.edits import move_spans
from paraphrast.rules.lexicon import Entry, Word
from paraphrast.rules.punctuation import end_question, stop
from paraphrast.rules.tokens import (
    EDGE,
    SPACE,
    WORD,
    Token,
    after,
    before,
    changes,
    is_free,
    join_tokens,
    next_index,
)
from paraphrast.text.chat_digits import CHAT_DIGITS, spell_digit

_CHAT = Plan(without=frozenset({"contraction with '", "swearing"}))


def spell_out_chat(
    sentence: Sentence, *, keep_fillers: bool = True, end: bool = False
) -> Sentence:
    """Return a sentence with chat spelling spelt out, for models of standard English.

    Models would take "thx 4 ur help, c u 2moro" for names and numbers, and not see that
    "r u coming" is a question. Fillers ("lol", "um") need not be kept for a style that
    has none: their loss would look like lost meaning. With ``end``, chat gets the final
    mark that it lacks; chat begins with a lower-case letter, unlike a heading.
    """
    text = sentence.text
    work = draft(text, sentence.protected, _CHAT)
    expand(work)
    if work.fillers and not keep_fillers:
        fillers.drop(work, stops=False)
        stop(work)
    if not text.rstrip().endswith((".", "!", "?")):
        # A text that ends with a space is a part, and the sentence continues.
        is_whole = text[:1].islower() and not text[-1:].isspace()
        (stop if end and is_whole else end_question)(work)
    edits = changes(work.tokens)
    if not edits:
        return sentence
    protected = move_spans(sentence.protected, edits)
    return replace(sentence, text=join_tokens(work.tokens), protected=protected)


def expand(draft: Draft) -> None:
    """Replace, mask and capitalise words; remember fillers for later."""
    table = draft.lexicon.words
    tokens = draft.tokens
    roman = draft.lexicon.classes["roman"]
    for index, token in enumerate(tokens):
        if token.kind != WORD:
            continue
        low = token.low
        if low in CHAT_DIGITS and (spelt := _spell_digit(tokens, index)):
            token.become(spelt, "slang")
            token.low = spelt
        elif low in table:
            word = table[low]
            if _may_change(word, tokens, index) and is_free(tokens, index):
                _look_up(draft, index, word)
        elif low[-2:] == "'s" or low in roman:
            _special(draft, index)
    for token in draft.tailed:
        token.become(f"{token.text} not", "contraction")
    draft.compact()


def _spell_digit(tokens: Sequence[Token], index: int) -> str:
    """Return the word that a digit stands for, as in "wait 4 me", or ""."""
    if not is_free(tokens, index):
        return ""
    first = before(tokens, index)
    near = "".join(token.text for token in tokens[max(0, index - 4) : index])
    if near.rstrip().lower().endswith("thank you"):
        first = "thank you"
    return spell_digit(first, tokens[index].low, after(tokens, index))


def _may_change(word: Word, tokens: Sequence[Token], index: int) -> bool:
    """Return whether a word may change by itself, or begins a phrase here."""
    begun = word.begun
    return begun is None or (index + 2 < len(tokens) and tokens[index + 2].low in begun)


def _look_up(draft: Draft, index: int, word: Word) -> None:
    tokens = draft.tokens
    stopped = index + 1 < len(tokens) and tokens[index + 1].text == "."
    if stopped and _is_abbreviated(draft, index):
        return
    if word.entries and _take_entry(draft, index, word):
        return
    if word.fillers and _take_filler(draft, index, word):
        return
    if word.swearing and "swearing" not in draft.plan.without:
        token = draft.tokens[index]
        token.become(token.text[0] + "*" * (len(token.text) - 1), "swearing")
    elif word.names:
        _take_name(draft, index, word)


def _take_filler(draft: Draft, index: int, word: Word) -> bool:
    """Remember a filler, which `fillers.drop` may drop; say whether there is one."""
    for rest, where in word.fillers.items():
        last = draft.match(index, rest) if rest else index
        if last >= 0 and (where != "commas" or _is_comma(draft, last + 1)):
            draft.fillers[draft.merge(index, last)] = where
            return True
    return False


def _is_abbreviated(draft: Draft, index: int) -> bool:
    """Return whether a stop belongs to this word: "U. Clarke", "3 hrs., then"."""
    tokens = draft.tokens
    token = tokens[index]
    if len(token.source) == 1:
        return token.source.isupper() and token.source != "I"
    if token.low not in draft.lexicon.classes["stopped"]:
        return False
    following = next_index(tokens, index + 1)
    return following < len(tokens) and not tokens[following].source[0].isupper()


def _is_comma(draft: Draft, index: int) -> bool:
    return index < len(draft.tokens) and draft.tokens[index].text == ","


def _take_entry(draft: Draft, index: int, word: Word) -> bool:
    tokens, plan = draft.tokens, draft.plan
    rows = word.alone
    if word.before and index + 2 < len(tokens):
        rows = word.before.get(tokens[index + 2].low, rows)
    has_capital = tokens[index].source[0].isupper()
    for rest, entries in rows:
        last = draft.match(index, rest) if rest else index
        if last < 0:
            continue
        for entry in entries:
            if plan.without and plan.leaves_out(entry):
                continue
            if has_capital and _is_titled(draft, index, entry):
                continue
            if not entry.when or draft.holds(entry.when, index, last):
                _expand(draft, index, last, entry, entries)
                return True
    return False


def _is_titled(draft: Draft, index: int, entry: Entry) -> bool:
    """Return whether capitalised slang may be a name: "Guy Fawkes", "One Nite"."""
    source = draft.tokens[index].source
    return (
        entry.kind != "contraction"
        and len(source) > 1
        and not source.isupper()
        and before(draft.tokens, index) != EDGE
    )


def _expand(
    draft: Draft, index: int, last: int, entry: Entry, entries: list[Entry]
) -> None:
    forms: Sequence[str] = entry.formal
    if len(entries) > 1:
        forms = list(dict.fromkeys([*forms, *(e.formal[0] for e in entries)]))
    token = draft.merge(index, last)
    if len(forms) > 1:
        draft.options[index] = len(forms)
        draft.doubts += not entry.when and len(entries) > 1
    choice = draft.plan.choices.get(index, 0) if draft.plan.choices else 0
    formal = forms[choice % len(forms)]
    negated = _asks(draft, index, last) if formal.endswith("not") else None
    if negated:
        draft.tailed.append(negated)
        formal = formal.removesuffix("not").rstrip()
    text = formal
    # Amid a sentence, a word in capitals is shouted or an abbreviation.
    shouts = token.source.isupper() and before(draft.tokens, index) != EDGE
    if len(token.source) > 1 and token.text[0].isupper() and not shouts:
        text = capitalise(formal)
    if token.source.endswith("/") and _touches_word(draft, last):
        text += " "
    token.become(text, entry.kind)
    token.low = formal.rsplit(" ", 1)[-1].lower()


def _asks(draft: Draft, index: int, last: int) -> Token | None:
    """Return the subject after the negation of a negative question, or None.

    "Don't you think" is "do you not think", but "if you don't you will" is not.
    """
    tokens, classes = draft.tokens, draft.lexicon.classes
    if after(tokens, last) not in classes["pronoun"]:
        return None
    if before(tokens, index) not in classes["question_opener"]:
        return None
    subject = next_index(tokens, last)
    if tokens[subject - 1].kind != SPACE or not is_free(tokens, subject):
        return None
    return tokens[subject]


def _touches_word(draft: Draft, index: int) -> bool:
    return index + 1 < len(draft.tokens) and draft.tokens[index + 1].kind == WORD


def _take_name(draft: Draft, index: int, word: Word) -> None:
    small = draft.tokens[index].text.islower()
    for rest, names in word.names.items():
        last = draft.match(index, rest) if rest else index
        if last < 0 or not (rest or small):
            continue
        for name in names:
            if draft.holds(name.when, index, last):
                for offset, part in enumerate(name.words):
                    _capitalise_name(draft.tokens[index + 2 * offset], part)
                return


def _capitalise_name(token: Token, part: str) -> None:
    if token.text.islower():
        token.become(part, "name")


def _special(draft: Draft, index: int) -> None:
    """Expand "car's" before a state; capitalise "john's" and the "iv" in "part iv"."""
    token = draft.tokens[index]
    if not is_free(draft.tokens, index):
        return
    if token.low.endswith("'s") and not draft.plan.leaves_out_kind("contraction", "'"):
        _expand_verb(draft, index)
    if not token.text.islower():
        return
    if token.low in draft.lexicon.classes["roman"]:
        if before(draft.tokens, index) in draft.lexicon.classes["numbered"]:
            token.become(token.text.upper(), "name")
        return
    word = draft.lexicon.words.get(token.low[:-2])
    names = word.names.get(()) if word else None
    if names and not names[0].when and names[0].words != ("I",):
        token.become(names[0].words[0] + token.text[len(token.low) - 2 :], "name")


def _expand_verb(draft: Draft, index: int) -> None:
    """Replace the 's of a noun by "is" or "has" if a state follows it, not a thing."""
    tokens, classes = draft.tokens, draft.lexicon.classes
    following = after(tokens, index)
    verb = ""
    if following in classes["has_after"]:
        verb = " has"
    elif following in classes["is_after"]:
        verb = " is"
    elif following in classes["is_state"]:
        then = after(tokens, next_index(tokens, index))
        verb = " is" if then in classes["state_end"] else ""
    if verb:
        tokens[index].become(tokens[index].text[:-2] + verb, "contraction")
