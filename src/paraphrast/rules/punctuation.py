"""Repeated marks, the spaces around them, "&", and the final full stop.

"!!!" becomes "!" and "?!?!" becomes "?"; an ellipsis is three dots. The space
before a mark is removed and a missing one after it inserted. A statement without a
final mark gets a full stop, and a plain question a question mark; headings, names,
lines that end in a comma and whatever ends in an address stay unchanged.
"""

import re

from paraphrast.rules.draft import Draft
from paraphrast.rules.lexicon import Classes
from paraphrast.rules.tokens import (
    FIXED,
    MARK,
    OTHER,
    SPACE,
    WORD,
    Token,
    make_empty,
)

# Finds a mark first, as they are rare, and then checks what stands beside it.
UNTIDY = re.compile(
    r"""[,.!?;…](?:(?<=\s.)|(?<=[!?])[!?.…]|(?<=\.)[.!?]|(?<=,),|(?<=[,;!?])[^\W\d_]
    |(?<=…)[.…!?])""",
    re.VERBOSE,
).search
_JOINABLE = frozenset(".!?…")
_SIGNS = {"&": "and", "@": "at"}
_ADDRESSES = frozenset({"url", "email", "code"})
_STOP_AFTER = frozenset({"number", "term"})
_FEWEST_WORDS = 3


def tidy(draft: Draft) -> None:
    """Reduce repeated marks and correct the spaces around marks."""
    shown = [token for token in draft.tokens if token.text]
    _join(shown)
    shown = [token for token in shown if token.text]
    last = len(shown) - 1
    for index, token in enumerate(shown):
        if token.kind != MARK:
            continue
        if len(token.text) > 1:
            at_end = all(t.kind in (SPACE, OTHER) for t in shown[index + 1 : index + 4])
            token.become(_single(token.text, at_end=at_end), "repeated punctuation")
        if token.text[0] in ",.!?;":
            _close_up(shown, index)
        if token.text[-1] in ",;!?" and index < last:
            _open_up(shown, index)


def _join(shown: list[Token]) -> None:
    """Join marks separated only by spaces, such as "! ! !", into one."""
    run: Token | None = None
    blank: Token | None = None
    for token in shown:
        if token.kind == SPACE:
            blank = token
            continue
        if token.kind == MARK and _JOINABLE.issuperset(token.text):
            if run and (not blank or "\n" not in blank.text):
                if blank:
                    blank.vanish("repeated punctuation")
                run.become(run.text + token.text, "repeated punctuation")
                token.vanish("repeated punctuation")
            else:
                run = token
        else:
            run = None
        blank = None


def _single(mark: str, *, at_end: bool) -> str:
    """Return one mark for a run of two or more."""
    if mark[0] == ",":
        return ","
    if "?" in mark:
        return "?"
    if "!" in mark:
        return "!"
    if mark == "..":
        return "." if at_end else "..."
    return "…" if "…" in mark else "..."


def _close_up(shown: list[Token], index: int) -> None:
    """Remove the space before a mark, unless the mark belongs to what follows."""
    if index < 2 or shown[index - 1].kind != SPACE or "\n" in shown[index - 1].text:
        return
    follows = shown[index + 1].kind if index + 1 < len(shown) else SPACE
    left = shown[index - 2]
    if follows in (SPACE, OTHER) and left.kind in (WORD, FIXED, OTHER):
        address = left.span_kind in _ADDRESSES
        if not address and left.text[-1] not in "([{-–—*/@":
            shown[index - 1].become("", "spacing")


def _open_up(shown: list[Token], index: int) -> None:
    """Insert a space between a mark and the word after it."""
    left, right = shown[index - 1] if index else None, shown[index + 1]
    if left is None or left.kind != WORD or right.kind != WORD:
        return
    if _is_wordy(left.source) and _is_wordy(right.source):
        shown[index].become(shown[index].text + " ", "spacing")


def _is_wordy(text: str) -> bool:
    return text.isalpha() and (len(text) > 1 or text in "Iia")


def spell_out_signs(draft: Draft) -> None:
    """Replace "&" by "and" and "@" by "at" between words that are not names."""
    tokens = draft.tokens
    for index in range(2, len(tokens) - 2):
        sign = tokens[index]
        if sign.kind != OTHER or sign.text not in _SIGNS:
            continue
        left, right = tokens[index - 2], tokens[index + 2]
        if not tokens[index - 1].kind == tokens[index + 1].kind == SPACE:
            continue
        lower = right.source[0].islower() or (
            sign.text == "@" and right.source[0].isdigit()
        )
        kinds = {left.kind, right.kind}
        if lower and kinds <= {WORD, FIXED}:
            sign.become(_SIGNS[sign.text], "slang")


def stop(draft: Draft) -> None:
    """Add the final mark that a sentence lacks."""
    _end(draft, "?.")


def end_question(draft: Draft) -> None:
    """Add the question mark that a question lacks."""
    _end(draft, "?")


def _end(draft: Draft, marks: str) -> None:
    """Add the final mark that a sentence lacks, if it is one of ``marks``."""
    last = _last_shown(draft.tokens)
    if last < 0 or draft.tokens[last].kind == MARK:
        return
    shown = [token for token in draft.tokens[: last + 1] if token.text]
    words = [token for token in shown if token.kind == WORD]
    classes = draft.lexicon.classes
    if len(words) < _FEWEST_WORDS and not _is_thanks(words):
        return
    if is_title(words, classes) or not _is_open(shown):
        return
    mark = "?" if _is_question(shown, classes) else "."
    if mark not in marks:
        return
    end = make_empty()
    end.become(mark, "final stop")
    draft.tokens.insert(last + 1, end)


def choose_end(clause: list[Token], classes: Classes) -> str:
    """Return the final mark of a clause; after fewer than three words, a comma."""
    if sum(token.kind == WORD for token in clause) < _FEWEST_WORDS:
        return ","
    return "?" if _is_question(clause, classes) else "."


def _is_thanks(words: list[Token]) -> bool:
    return " ".join(token.text for token in words) == "Thank you"


def _last_shown(tokens: list[Token]) -> int:
    """Return the index of the last visible token, or -1."""
    index = len(tokens) - 1
    while index >= 0 and (tokens[index].kind == SPACE or not tokens[index].text):
        index -= 1
    return index


def _is_open(shown: list[Token]) -> bool:
    last = shown[-1]
    if any(token.text == "@" for token in shown):  # a place: "lunch @ Ed's"
        return False
    if last.kind == FIXED:
        return last.span_kind in _STOP_AFTER and last.text[-1].isalnum()
    if last.kind == WORD:
        return len(shown) < 2 or shown[-2].kind in (SPACE, WORD, FIXED)
    opened = any(t.text.endswith("(") for t in shown[1:])
    return last.text == ")" and opened and shown[-2].kind in (WORD, FIXED)


def is_title(words: list[Token], classes: Classes) -> bool:
    """Return whether every content word is capitalised, as in a heading or a name."""
    small = classes["small"]
    return all(not token.text[0].islower() or token.text in small for token in words)


def _is_question(shown: list[Token], classes: Classes) -> bool:
    """Return whether the sentence, or what follows its last comma, is a question."""
    clause: list[str] = []
    is_later = False
    for token in shown:
        if token.kind == MARK:
            is_later = bool(clause) or is_later
            clause = []
        elif token.kind == WORD:
            clause += token.text.lower().split(" ")
    while clause and clause[0] in classes["lead_in"]:
        clause.pop(0)
    if clause[1:3] == ["on", "earth"]:
        del clause[1:3]
    first, second, third = (*clause, "", "", "")[:3]
    if first == "whose":
        return third in classes["auxiliary"]
    if first in classes["asking"]:
        return second in classes["after_asking"] and not (is_later and first == "who")
    return first in classes["auxiliary"] and second in classes["pronoun"]
