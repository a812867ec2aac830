"""Pipelines of spaCy: ``nlp.add_pipe("paraphrast", config={"to": "formal"})``.

The component leaves a document unchanged and adds its rewrite, ``doc._.rewrite``, and
the reason if there is none, ``doc._.rewrite_why``. With ``"by": "sentence"`` each of
``doc.sents`` has these instead. ``nlp.pipe`` rewrites in batches. spaCy finds the
component by its name where paraphrast is installed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from paraphrast import extras
from paraphrast.adapters.texts import TextRewriter
from paraphrast.errors import ParaphrastError

Language = extras.require("spacy.language").Language
tokens = extras.require("spacy.tokens")

REWRITE, WHY = "rewrite", "rewrite_why"
for kind in (tokens.Doc, tokens.Span):
    for name in (REWRITE, WHY):
        if not kind.has_extension(name):
            kind.set_extension(name, default=None)


@dataclass(frozen=True)
class Component:
    """Rewrites documents, or their sentences, that go through a pipeline."""

    rewriter: TextRewriter
    by: Literal["document", "sentence"] = "document"

    def __call__(self, doc: Any) -> Any:
        """Return a document with its rewrites."""
        self._annotate([doc])
        return doc

    def pipe(self, docs: Iterable[Any], *, batch_size: int = 128) -> Iterator[Any]:
        """Yield documents with their rewrites; each batch is rewritten at once."""
        waiting = iter(docs)
        while batch := list(islice(waiting, batch_size)):
            self._annotate(batch)
            yield from batch

    def _annotate(self, docs: Sequence[Any]) -> None:
        parts = [part for doc in docs for part in self._cut(doc)]
        rewrites = self.rewriter.rewrite([part.text for part in parts])
        for part, rewrite in zip(parts, rewrites, strict=True):
            if rewrite is not None:
                part._.set(REWRITE, rewrite.text)
                part._.set(WHY, rewrite.why)

    def _cut(self, doc: Any) -> list[Any]:
        if self.by == "document":
            return [doc]
        if len(doc) and not doc.has_annotation("SENT_START"):
            raise ParaphrastError(
                "the pipeline does not set sentence boundaries. Add a component that "
                "does, before paraphrast, "
                'such as `nlp.add_pipe("sentencizer")`.'
            )
        return list(doc.sents)


def create(
    nlp: Any,
    name: str,
    to: str | None,
    using: str | None,
    pack: str | None,
    strength: float | None,
    seed: int,
    protect: list[str],
    by: Literal["document", "sentence"],
) -> Component:
    """Return the component for a pipeline, with its models loaded."""
    rewriter = TextRewriter(to, using, pack, strength, seed, tuple(protect))
    component = Component(rewriter, by)
    _ = rewriter.loaded  # a mistake is told here, and not at the first text
    return component


DEFAULTS: dict[str, Any] = {
    "to": None,
    "using": None,
    "pack": None,
    "strength": None,
    "seed": 1,
    "protect": [],
    "by": "document",
}
Language.factory(
    "paraphrast",
    default_config=DEFAULTS,
    assigns=["doc._.rewrite", "doc._.rewrite_why"],
    func=create,
)
