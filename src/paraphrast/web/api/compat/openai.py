"""OpenAI's chat completions: ``model`` is ``paraphrast/STYLE``.

The last message of the user is the text. Other messages are ignored: the text is never
treated as an instruction. ``temperature`` and similar parameters have no effect.
"""

import json
import secrets
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.text import tokenise
from paraphrast.web import problems
from paraphrast.web.api.access import identify
from paraphrast.web.api.records import check_texts
from paraphrast.web.api.rewriting import EVENTS, UNBUFFERED, run
from paraphrast.web.api.schemas import Text
from paraphrast.web.service.rewriting import Loaded, Service

OWNER = "paraphrast"


class OpenAIRoute(APIRoute):
    """Returns errors in OpenAI's format, so that clients show the message."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the request handler."""
        respond = super().get_route_handler()

        async def respond_or_refuse(request: Request) -> Response:
            try:
                return await respond(request)
            except problems.FORESEEN as error:
                return _refuse(error)

        return respond_or_refuse


router = APIRouter(
    tags=["openai"], dependencies=[Depends(identify)], route_class=OpenAIRoute
)


class Part(BaseModel):
    """A part of a message."""

    model_config = ConfigDict(extra="allow")

    type: str = "text"
    text: Text = ""


class Message(BaseModel):
    """A message of a conversation."""

    model_config = ConfigDict(extra="allow")

    role: str
    content: Text | list[Part] | None = None


class ChatRequest(BaseModel):
    """A conversation; other fields are accepted and ignored."""

    model_config = ConfigDict(extra="allow")

    model: Text = Field(examples=["paraphrast/formal"])
    messages: list[Message] = Field(
        min_length=1, examples=[[{"role": "user", "content": "gonna be late, soz"}]]
    )
    n: int | None = Field(default=None, ge=1, le=20)
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1)
    stream: bool | None = None

    @property
    def text(self) -> str:
        """Return the last message of the user."""
        for message in reversed(self.messages):
            if message.role == "user" and message.content is not None:
                if isinstance(message.content, str):
                    return message.content
                return "".join(part.text for part in message.content)
        raise ParaphrastError("there is no message with the role `user`. Send one.")


class ModelCard(BaseModel):
    """A style, as a model."""

    id: str = Field(examples=["paraphrast/formal"])
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = OWNER


class ModelList(BaseModel):
    """The styles, as models."""

    object: Literal["list"] = "list"
    data: list[ModelCard]


@router.get("/v1/models")
def models(request: Request) -> ModelList:
    """List the styles as models."""
    service: Service = request.app.state.service
    return ModelList(
        data=[ModelCard(id=f"{OWNER}/{style.name}") for style in service.styles()]
    )


@router.post("/v1/chat/completions")
async def complete(asked: ChatRequest, request: Request) -> Response:
    """Rewrite the last message of the user."""
    service: Service = request.app.state.service
    (text,) = check_texts(asked.text, service.settings.limits)
    loaded = await run(request, lambda: _load(service, asked.model))
    head = {
        "id": f"chatcmpl-{secrets.token_hex(12)}",
        "created": int(time.time()),
        "model": asked.model,
    }
    if asked.stream:
        bits = _rewrite_bits(loaded, text, asked.seed or 1)
        return StreamingResponse(
            _stream(request, head, bits), media_type=EVENTS, headers=UNBUFFERED
        )
    rewrites = await run(
        request,
        lambda: loaded.rewriter.alternatives(
            [text], asked.n or 1, seed=asked.seed or 1
        )[0],
    )
    texts = [rewrite.text for rewrite in rewrites]
    return JSONResponse(
        head
        | {
            "object": "chat.completion",
            "choices": [
                {
                    "index": index,
                    "message": {"role": "assistant", "content": own},
                    "logprobs": None,
                    "finish_reason": "stop",
                }
                for index, own in enumerate(texts)
            ],
            "usage": _count(text, texts),
        }
    )


def _load(service: Service, model: str) -> Loaded:
    owner, _, style = model.partition("/")
    models = [f"{OWNER}/{style.name}" for style in service.styles()]
    if owner != OWNER or model not in models:
        raise unknown("model", model, models)
    return service.load(style)


def _refuse(error: Exception) -> JSONResponse:
    details = problems.explain(error)
    missing = details.detail.startswith("unknown model")
    record = {
        "message": details.detail,
        "type": "invalid_request_error",
        "param": "model" if missing else None,
        "code": "model_not_found" if missing else None,
    }
    return JSONResponse(
        {"error": record},
        404 if missing else details.status,
        headers=problems.find_headers(error),
    )


def _rewrite_bits(loaded: Loaded, text: str, seed: int) -> Iterator[str]:
    for _, options in loaded.rewriter.sections(text, 1, seed=seed):
        yield options[0].text


async def _stream(
    request: Request, head: dict[str, Any], bits: Iterator[str]
) -> AsyncIterator[str]:
    """Yield the events of a stream."""

    def event(delta: dict[str, str], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        chunk = head | {"object": "chat.completion.chunk", "choices": [choice]}
        return f"data: {json.dumps(chunk)}\n\n"

    yield event({"role": "assistant", "content": ""})
    while (bit := await run(request, lambda: next(bits, None))) is not None:
        yield event({"content": bit})
    yield event({}, "stop")
    yield "data: [DONE]\n\n"


def _count(text: str, texts: list[str]) -> dict[str, int]:
    prompt = len(tokenise(text))
    completion = sum(len(tokenise(own)) for own in texts)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
