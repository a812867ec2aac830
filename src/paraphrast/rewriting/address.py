"""One form of address per text: "thou" or "you", but not both.

Passages are rewritten one by one, so old styles may use "thou" in one and "you" in the
next. The first passage that addresses anybody decides for its text; a text addressed to
several people uses "you". In deviating sentences, pronouns and their verbs are changed
where the grammar is unambiguous, and left as they are otherwise. (Other candidates of
the model deviate in the same way: generating more took five times as long and gave none
that agreed.)
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from paraphrast.language.address import (
    Address,
    addresses_many,
    change_address,
    count_address,
    find_address,
    keeps_address,
)
from paraphrast.rewriter import Rewrite, Sentence
from paraphrast.text.sentences import split_sentences


def choose_address(
    text: str, sentences: Sequence[Sentence], answers: Sequence[Sequence[Rewrite]]
) -> Address | None:
    """Return a text's address by the first rewrite that has one.

    A text that itself uses "thou" is left alone.
    """
    if count_address(text)["thou"]:
        return None
    if addresses_many(text):
        return "you"
    for sentence, options in zip(sentences, answers, strict=True):
        if options[0].text != sentence.text:
            address = find_address(options[0].text)
            if address:
                return address
    return None


def readdress(sentence: Sentence, rewrite: Rewrite, address: Address) -> Rewrite:
    """Return a rewrite with the address, as far as possible.

    Unchanged sentences stay unchanged.
    """
    if rewrite.text == sentence.text or keeps_address(rewrite.text, address):
        return rewrite
    kept = [re.escape(own.text) for own in rewrite.kept]
    parts = re.split(f"({'|'.join(kept)})", rewrite.text) if kept else [rewrite.text]
    parts[::2] = [_change_sentences(part, address) for part in parts[::2]]
    text = "".join(parts)
    protected = (sentence.text[p.start : p.end] for p in sentence.protected)
    if any(text.count(own) < rewrite.text.count(own) for own in protected):
        return rewrite
    return replace(rewrite, text=text, changes=())


def _change_sentences(text: str, address: Address) -> str:
    """Change the sentences of a text that can be changed safely."""
    for span in reversed(split_sentences(text)):
        own = text[span.start : span.end]
        new = own if keeps_address(own, address) else change_address(own, address)
        text = text[: span.start] + (new or own) + text[span.end :]
    return text
