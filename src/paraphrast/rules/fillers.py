"""Drop fillers where the sentence stays complete without them.

Hesitations and laughter are dropped anywhere; "well" only as the first word before a
clause; "like", "you know" and "I mean" only where commas set them off. A sentence of
nothing but fillers stays unchanged, and so does a line end beside a filler.
"""

import re

from paraphrast.rules.draft import Draft
from paraphrast.rules.lexicon import Classes
from paraphrast.rules.punctuation import choose_end
from paraphrast.rules.tokens import (
    EDGE,
    FIXED,
    MARK,
    SPACE,
    WORD,
    Token,
    after,
    is_free,
)

_LOOSE = (None, SPACE, MARK)
_LAUGHTER = re.compile(r"(?:lo)+lz?s?|r?o?fl(?:mao)?|lmf?ao+|t?e*(?:ha|he)+h?|xd", re.I)


def drop(draft: Draft, *, stops: bool = True) -> None:
    """Drop the fillers that were found.

    Laughter between two words is replaced by a mark, since people write it in place of
    one ("we lost lol not a great day"): one that ends the sentence after a clause, a
    comma after one or two words; without ``stops``, always a comma.
    """
    tokens = draft.tokens
    words = [i for i, token in enumerate(tokens) if token.kind in (WORD, FIXED)]
    indexes = [i for i in words if tokens[i] in draft.fillers]
    if len(indexes) == len(words):
        return
    classes = draft.lexicon.classes
    visible: list[int] = []  # indexes of the nonempty tokens to the left of the filler
    start = 0
    for index in [i for i in indexes if _may_go(draft, i, is_first=i == words[0])]:
        visible += (i for i in range(start, index) if _shows(tokens[i]))
        while visible and not _shows(tokens[visible[-1]]):
            visible.pop()
        left = visible[-1] if visible else -1
        _drop(tokens, index, left=left)
        if left >= 0 and _stands_between(tokens, left, index):
            clause = _last_clause([tokens[i] for i in visible])
            mark = _choose_mark(clause, after(tokens, index), classes) if stops else ","
            if mark:
                tokens[index].become(mark, "filler")
                tokens[index].kind = MARK
        start = index + 1


def _may_go(draft: Draft, index: int, *, is_first: bool) -> bool:
    tokens = draft.tokens
    where = draft.fillers[tokens[index]]
    if _kind(tokens, index - 1) not in _LOOSE or _kind(tokens, index + 1) not in _LOOSE:
        return False
    comma_after = _is_comma(tokens, index + 1)
    if where == "anywhere":
        return after(tokens, index) not in draft.lexicon.classes["keeps_filler"]
    if is_first:
        # "well I think", but not "well done"
        clause = draft.lexicon.classes["clause"]
        return comma_after or (where == "start" and after(tokens, index) in clause)
    return where == "commas" and comma_after and _is_comma(tokens, index - 2)


def _drop(tokens: list[Token], index: int, *, left: int) -> None:
    """Drop a filler; ``left`` is the index of the last token before it, or -1."""
    tokens[index].vanish("filler")
    right = index + 1
    if _begins(tokens, left) and _kind(tokens, right) == MARK:
        tokens[right].vanish("filler")
        right += 1
    elif _is_comma(tokens, right) and _is_comma(tokens, left):
        tokens[right].vanish("filler")
        tokens[left].vanish("filler")
    elif left >= 0 and _is_comma(tokens, left) and after(tokens, index) == EDGE:
        tokens[left].vanish("filler")
    space = index - 1 if left >= 0 and _is_blank(tokens, index - 1) else right
    if _is_blank(tokens, space):
        tokens[space].vanish("filler")


def _stands_between(tokens: list[Token], left: int, index: int) -> bool:
    """Return whether laughter stood between two words."""
    if tokens[left].kind != WORD or not is_free(tokens, left):
        return False
    right = next((t for t in tokens[index + 1 :] if _shows(t)), None)
    words = right is not None and right.kind == WORD
    return words and _LAUGHTER.fullmatch(tokens[index].source) is not None


def _last_clause(tokens: list[Token]) -> list[Token]:
    """Return the tokens after the last mark."""
    marks = [i for i, token in enumerate(tokens) if token.kind == MARK]
    return tokens[marks[-1] + 1 :] if marks else tokens


def _choose_mark(clause: list[Token], following: str, classes: Classes) -> str:
    """Return the mark that replaces laughter between a clause and a word, or ""."""
    if clause[-1].low in classes["unfinished"]:
        return ""
    mark = choose_end(clause, classes)
    fits = following in classes["clause"] or (
        mark != "," and following not in classes["joining"]
    )
    return mark if fits else ""


def _begins(tokens: list[Token], left: int) -> bool:
    """Return whether a sentence begins after the token at ``left`` (-1: no token)."""
    if left < 0:
        return True
    token = tokens[left]
    ends = token.kind == MARK and not _is_comma(tokens, left)
    return ends or token.span_kind == "mention"


def _shows(token: Token) -> bool:
    return token.kind != SPACE and bool(token.text)


def _kind(tokens: list[Token], index: int) -> int | None:
    return tokens[index].kind if 0 <= index < len(tokens) else None


def _is_comma(tokens: list[Token], index: int) -> bool:
    return 0 <= index < len(tokens) and tokens[index].text == ","


def _is_blank(tokens: list[Token], index: int) -> bool:
    return _kind(tokens, index) == SPACE and "\n" not in tokens[index].text
