"""``/v1/rewrite``, ``/v1/score``, ``/v1/align``, and what they offer."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict
from typing import TypeVar

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from paraphrast.align import choosing
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.web import problems
from paraphrast.web.api import records
from paraphrast.web.api.access import identify
from paraphrast.web.api.problems import PROBLEMS
from paraphrast.web.api.schemas import (
    Alignment,
    AlignRequest,
    AlignResponse,
    Done,
    LimitsResponse,
    RewriteRequest,
    RewriteResponse,
    RewriterRecord,
    Rewriters,
    ScoreRequest,
    ScoreResponse,
    Scores,
    SentenceEvent,
    StyleRecord,
    Styles,
)
from paraphrast.web.service.admission import Admission
from paraphrast.web.service.rewriting import Service

Result = TypeVar("Result")

EVENTS = "text/event-stream"
UNBUFFERED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
router = APIRouter(
    prefix="/v1", tags=["v1"], dependencies=[Depends(identify)], responses=PROBLEMS
)


@router.post(
    "/rewrite",
    response_model=RewriteResponse,
    responses={200: {"content": {EVENTS: {"schema": {"type": "string"}}}}},
)
async def rewrite(asked: RewriteRequest, request: Request) -> Response:
    """Rewrite a text, or several, in another style: one record per text, in order.

    A text that cannot be rewritten is returned unchanged, with the reason in `why`.
    With `Accept: text/event-stream` every sentence is sent as an event `rewrite` as
    soon as it is done, with the `index` of its text and its `start` in it; the stream
    ends with `done` or `error`.
    """
    service: Service = request.app.state.service
    texts = records.check_texts(asked.text, service.settings.limits)
    loaded = await run(request, lambda: records.load(service, asked))
    if EVENTS in request.headers.get("accept", ""):
        sentences = records.rewrite_sentences(service, loaded, asked, texts)
        done = Done(**records.describe(loaded, asked, texts))
        return StreamingResponse(
            _stream(request, sentences, done), media_type=EVENTS, headers=UNBUFFERED
        )
    answer = await run(
        request, lambda: records.rewrite_texts(service, loaded, asked, texts)
    )
    return Response(answer.model_dump_json(), media_type="application/json")


async def _stream(
    request: Request, sentences: Iterator[SentenceEvent], done: Done
) -> AsyncIterator[str]:
    """Yield the events of a stream."""
    try:
        while (event := await run(request, lambda: next(sentences, None))) is not None:
            yield _event("rewrite", event)
        yield _event("done", done)
    except Exception as error:  # noqa: BLE001 - the status has been sent
        yield _event("error", problems.explain(error))


def _event(name: str, data: BaseModel) -> str:
    return f"event: {name}\ndata: {data.model_dump_json()}\n\n"


async def run(request: Request, function: Callable[[], Result]) -> Result:
    """Run a function that uses the models, and return its result."""
    admission: Admission = request.app.state.admission
    return await admission.run(function)


@router.get("/styles")
def styles(request: Request) -> Styles:
    """List the available target styles."""
    service: Service = request.app.state.service
    return Styles(styles=[StyleRecord(**asdict(s)) for s in service.styles()])


@router.get("/rewriters")
def rewriters(request: Request) -> Rewriters:
    """List the installed rewriters with their styles."""
    service: Service = request.app.state.service
    return Rewriters(
        rewriters=[RewriterRecord(**asdict(offer)) for offer in service.rewriters()]
    )


@router.post("/score")
async def score(asked: ScoreRequest, request: Request) -> ScoreResponse:
    """Rate texts against their sources with the small judge, each score from 0 to 1."""
    service: Service = request.app.state.service
    sources, texts = _pair(asked.source, asked.text, service)

    def rate() -> list[Scores]:
        if asked.style is not None and asked.style not in service.judged_styles():
            raise unknown("style", asked.style, service.judged_styles())
        ratings = service.score(sources, texts, style=asked.style or "")
        return [Scores(**asdict(rating)) for rating in ratings]

    return ScoreResponse(scores=await run(request, rate), judge="small")


@router.post("/align")
async def align(asked: AlignRequest, request: Request) -> AlignResponse:
    """Align the words of text pairs with the same meaning."""
    service: Service = request.app.state.service
    sources, targets = _pair(asked.source, asked.target, service)
    pairs = list(zip(sources, targets, strict=True))
    aligned = await run(request, lambda: service.align(pairs, prefer=asked.prefer))
    return AlignResponse(
        alignments=[Alignment(**record) for record in aligned],
        aligner=choosing.default(),
    )


def _pair(
    first: str | list[str], second: str | list[str], service: Service
) -> tuple[list[str], list[str]]:
    """Return two lists of equally many texts."""
    limits = service.settings.limits
    sides = records.check_texts(first, limits), records.check_texts(second, limits)
    if len(sides[0]) != len(sides[1]):
        raise ParaphrastError(
            f"there are {len(sides[0])} sources, and {len(sides[1])} texts beside "
            "them. Give one for each."
        )
    return sides


@router.get("/limits")
def limits(request: Request) -> LimitsResponse:
    """Return the server's limits."""
    service: Service = request.app.state.service
    return LimitsResponse(**asdict(service.settings.limits))
