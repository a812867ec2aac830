"""Convert between the local API and ``/v1``: requests in, records out."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Rewrite
from paraphrast.rewriting.formats.html import format as html
from paraphrast.rewriting.formats.rewriting import rewrite_document
from paraphrast.rewriting.interface import Reading
from paraphrast.rewriting.passages import split_passage
from paraphrast.rewriting.sections import NOT_PROSE
from paraphrast.web.api.schemas import (
    Alternative,
    Model,
    Options,
    RewriteRequest,
    RewriteResponse,
    Rewritten,
    Scores,
    SentenceEvent,
    Tokens,
    Usage,
)
from paraphrast.web.problems import Problem
from paraphrast.web.service.rewriting import Loaded, Service
from paraphrast.web.settings import Limits


def check_texts(given: str | list[str], limits: Limits) -> list[str]:
    """Return the texts of a request, or refuse too many or too long ones."""
    texts = [given] if isinstance(given, str) else given
    if len(texts) > limits.texts_per_request:
        raise Problem(
            413,
            f"{len(texts):,} texts are more than {limits.texts_per_request:,}. Send "
            "fewer at a time, or a file to /v1/jobs.",
        )
    longest = max(map(len, texts), default=0)
    if longest > limits.characters_per_text:
        raise Problem(
            413,
            f"a text of {longest:,} characters is longer than "
            f"{limits.characters_per_text:,}. Cut it, or send a file to /v1/jobs.",
        )
    return texts


def load(service: Service, asked: Options) -> Loaded:
    """Return the requested rewriter."""
    return service.load(asked.style, using=asked.rewriter, strength=asked.strength)


def reading_of(asked: Options) -> Reading:
    """Return the reading options of a request."""
    return Reading(tuple(asked.protect), asked.format == "markdown", asked.headings)


def rewrite_texts(
    service: Service, loaded: Loaded, asked: RewriteRequest, texts: Sequence[str]
) -> RewriteResponse:
    """Return one record per text, in order."""
    if asked.format == "html":
        records = [_rewrite_page(service, loaded, asked, text) for text in texts]
    else:
        alternatives = loaded.rewriter.alternatives(
            texts, 1 + asked.alternatives, seed=asked.seed, reading=reading_of(asked)
        )
        records = [
            make_record(service, loaded, asked, source, rewrites)
            for source, rewrites in zip(texts, alternatives, strict=True)
        ]
    return RewriteResponse(rewrites=records, **describe(loaded, asked, texts))


def _rewrite_page(
    service: Service, loaded: Loaded, asked: RewriteRequest, source: str
) -> Rewritten:
    """Return the record of an HTML text with its tags; ratings are of its words."""
    page = html.read_text(source)
    rewritten = rewrite_document(
        loaded.rewriter, page, seed=asked.seed, reading=reading_of(asked)
    )
    parts = [part.rewrite for part in rewritten]
    whole = Rewrite(
        "\n\n".join(part.text for part in parts),
        sum(part.score for part in parts),
        guards=tuple(dict.fromkeys(name for p in parts for name in p.guards)),
        kept=tuple(kept for part in parts for kept in part.kept),
    )
    words = "\n\n".join(segment.text for segment in page.segments)
    record = make_record(service, loaded, asked, words, [whole])
    record.source, record.text = source, page.write(rewritten).decode("utf-8")
    if record.text == source:
        record.why = next((p.why for p in parts if p.why), NOT_PROSE)
    return record


def rewrite_sentences(
    service: Service, loaded: Loaded, asked: RewriteRequest, texts: Sequence[str]
) -> Iterator[SentenceEvent]:
    """Yield each sentence of each text as soon as it is rewritten."""
    if asked.format == "html":
        raise ParaphrastError(
            "HTML cannot be streamed. Leave out the header `Accept: text/event-stream`."
        )
    number, reading = 1 + asked.alternatives, reading_of(asked)
    for index, text in enumerate(texts):
        sections = loaded.rewriter.sections(
            text, number, seed=asked.seed, reading=reading
        )
        for whole, options in sections:
            rule = loaded.rewriter.family
            for section, rewrites in split_passage(whole, options, rule=rule):
                if section.sentence is None:
                    continue
                record = make_record(service, loaded, asked, section.text, rewrites)
                yield SentenceEvent(index=index, start=section.start, **dict(record))


def make_record(
    service: Service,
    loaded: Loaded,
    asked: RewriteRequest,
    source: str,
    rewrites: Sequence[Rewrite],
) -> Rewritten:
    """Return the record of one source and its rewrites, the best first."""
    scores: list[Scores | None] = [None] * len(rewrites)
    if asked.scores:
        ratings = service.rate(loaded, source, [r.text for r in rewrites])
        scores = [Scores(**asdict(rating)) for rating in ratings]
    options = [
        Alternative(**asdict(rewrite), scores=own)
        for rewrite, own in zip(rewrites, scores, strict=True)
    ]
    record = Rewritten(source=source, **dict(options[0]), alternatives=options[1:])
    if asked.alignment:
        (aligned,) = service.align([(source, record.text)])
        record.alignment = [(i, j, label) for i, j, _, label in aligned["links"]]
        record.tokens = Tokens(source=aligned["source"], text=aligned["target"])
    return record


def describe(
    loaded: Loaded, asked: RewriteRequest, texts: Sequence[str]
) -> dict[str, Any]:
    """Return the metadata of a response."""
    settings = ("strength", "alternatives", "format", "headings", "seed")
    own = {name: getattr(asked, name) for name in settings}
    return {
        "model": Model(
            rewriter=loaded.rewriter.family, pack=loaded.pack, sha256=loaded.sha256
        ),
        "signature": loaded.signature(**own),
        "usage": Usage(characters=sum(map(len, texts))),
    }
