"""Part two sentences that a comma joins: "It was late, I went home."

The comma becomes a semicolon where both sides are surely sentences of their own: the
left one begins with its subject and subordinates nothing, the right one is a pronoun
with a verb and no comment ("I am afraid"), and there is no second comma, which may make
a list of the clauses.
"""

import re

from paraphrast.rules.draft import Draft
from paraphrast.rules.lexicon import Classes
from paraphrast.rules.tokens import FIXED, MARK, OTHER, WORD, Token

MAY_BE = re.compile(
    r",\s+(?:i|he|she|it|we|they|this|there)['’ ]", re.IGNORECASE
).search
_SHORTEST = 3  # words of a side


def mend(draft: Draft) -> None:
    """Write a semicolon for the comma of every comma splice."""
    sides: list[list[str]] = [[]]
    commas: list[Token] = []
    plain = True  # no quotation, no bracket
    for token in (*draft.tokens, None):
        if token is None or (token.kind == MARK and token.text != ","):
            if plain and len(commas) == 1:
                left, right = sides
                if _is_splice(left, right, draft.lexicon.classes):
                    commas[0].become(";", "comma splice")
            sides, commas, plain = [[]], [], True
        elif token.kind == MARK:
            commas.append(token)
            sides.append([])
        elif token.kind == WORD:
            sides[-1] += token.text.lower().split(" ")
        elif token.kind == FIXED:
            sides[-1].append("")
        elif token.kind == OTHER:
            plain = False


def _is_splice(left: list[str], right: list[str], classes: Classes) -> bool:
    """Say whether the words on both sides of a comma are sentences of their own."""
    if min(len(left), len(right)) < _SHORTEST:
        return False
    auxiliary = classes["auxiliary"]
    begins = left[0] in classes["personal"] or (
        left[0] in classes["determiner"] and not auxiliary.isdisjoint(left)
    )
    if not begins or not classes["needs_more"].isdisjoint(left):
        return False
    subject, verb = right[:2]
    follows = subject in classes["personal"] or subject in ("this", "there")
    says = verb in auxiliary or verb == "cannot" or verb in classes["finite"]
    return follows and says and classes["comment"].isdisjoint(right[2:4])
