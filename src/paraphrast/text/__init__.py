"""Strings, tokens, sentences, n-grams, casing, protected spans, document structure.

The steps of processing a text, with the module of each:

1. ``normalisation`` repairs characters and spaces, and makes quotes ASCII.
2. ``documents`` splits a document into prose and what must not be changed.
3. ``sentences`` splits prose into sentences.
4. ``protection`` finds what must stay letter for letter, and masks it.
5. ``exact`` splits a sentence into the tokens of ``tokens``, with their offsets.
   A rewriter works on the tokens, perhaps in lower case.
6. ``casing`` restores capitals.
7. ``exact`` joins the tokens with the original spacing of the sentence; ``spacing``
   detokenises tokens that have no original text.

Nothing here knows about corpora, metrics or rewriters.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paraphrast.text.casing import Truecaser, transfer_case
    from paraphrast.text.documents import Piece, parse
    from paraphrast.text.exact import Tokens, tokenise_exactly
    from paraphrast.text.normalisation import normalise, straighten
    from paraphrast.text.protection import mask, protected_spans, unmask
    from paraphrast.text.sentences import split_sentences
    from paraphrast.text.spacing import detokenise
    from paraphrast.text.spans import Span
    from paraphrast.text.tokens import tokenise

__all__ = [
    "Piece",
    "Span",
    "Tokens",
    "Truecaser",
    "detokenise",
    "mask",
    "normalise",
    "parse",
    "protected_spans",
    "split_sentences",
    "straighten",
    "tokenise",
    "tokenise_exactly",
    "transfer_case",
    "unmask",
]

_HOMES = {
    "casing": ("Truecaser", "transfer_case"),
    "documents": ("Piece", "parse"),
    "exact": ("Tokens", "tokenise_exactly"),
    "normalisation": ("normalise", "straighten"),
    "protection": ("mask", "protected_spans", "unmask"),
    "sentences": ("split_sentences",),
    "spacing": ("detokenise",),
    "spans": ("Span",),
    "tokens": ("tokenise",),
}


def __getattr__(name: str) -> Any:
    # Imported on demand: using a `Span` should not require importing ftfy.
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"paraphrast.text.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
