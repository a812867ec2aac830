"""Mend comma splices: "It was late, I went home."

The comma becomes a semicolon where both sides are certainly independent clauses: the
left one begins with its subject and is not subordinate, the right one is a pronoun with
a verb and not a comment ("I am afraid"), and there is no second comma, which may mean
a list of clauses.
"""

import re

from paraphrast.rules.draft import Draft
from paraphrast.rules.lexicon import Classes
from paraphrast.rules.tokens import FIXED, MARK, OTHER, WORD, Token

MAY_BE = re.compile(
    r",\s+(?:i|he|she|it|we|they|this|there)['’ ]", re.IGNORECASE
).search
_SHORTEST = 3  # words per side


def mend(draft: Draft) -> None:
    """Replace the comma of every comma splice by a semicolon."""
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
    """Return whether the words on each side of a comma are an independent clause."""
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
