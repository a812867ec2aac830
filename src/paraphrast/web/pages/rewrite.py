"""The Rewrite page: a text sentence by sentence beside its rewrite.

Nothing is stored on the server: the page has the result, and ``rewrite.js`` assembles
the chosen alternatives. Without JavaScript the response to the form is a whole page;
with it, rows are streamed from ``/rewrite/rows``, one line of JSON each. A document
becomes a job that the page follows through ``/v1/jobs``, fetches, and deletes.
"""

import json
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, StreamingResponse
from starlette.datastructures import FormData, UploadFile

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Rewrite
from paraphrast.rewriting.formats import WHOLE
from paraphrast.rewriting.interface import Reading
from paraphrast.rewriting.ratings import Categorise
from paraphrast.study.explaining import load_categorise
from paraphrast.web import problems
from paraphrast.web.api.access import Identified, identify
from paraphrast.web.api.jobs import submit_file
from paraphrast.web.api.rewriting import run
from paraphrast.web.pages.rewrite_form import (
    DOCUMENTS,
    MOST_ALTERNATIVES,
    TEXTS,
    Asked,
    is_document,
    read_number,
)
from paraphrast.web.pages.rewrite_rows import Explain, Row, make_rows
from paraphrast.web.pages.templates import templates
from paraphrast.web.service.rewriting import Service
from paraphrast.web.settings import Settings

EXAMPLE = (
    "hey, gonna be late tmrw cuz the trains r a mess again. can u tell Maria i'll send "
    "her the 3 reports by 5pm? soz for the hassle!!"
)

router = APIRouter(prefix="/rewrite")
_categorising = threading.Lock()
_load_categorise = lru_cache(load_categorise)


@router.get("", response_class=HTMLResponse)
def show(request: Request) -> HTMLResponse:
    """Show the page with an example to try."""
    return _show_page(request, Asked(text=EXAMPLE))


@router.post("", response_class=HTMLResponse, dependencies=[Depends(identify)])
async def rewrite(request: Request) -> HTMLResponse:
    """Show the page with the rewritten text, or with errors and the text."""
    form = await _read_form(request)
    try:
        asked = await _read_asked(request, form)
        rows = await run(request, lambda: list(_rewrite(request, asked)))
    except ParaphrastError as error:
        kept = Asked(text=str(form.get("text", "")), keep=str(form.get("keep", "")))
        return _show_page(request, kept, error=str(error))
    return _show_page(request, asked, rows=rows)


@router.post("/rows", dependencies=[Depends(identify)])
async def stream_rows(request: Request) -> StreamingResponse:
    """Stream the rows of a text as they are rewritten, one line of JSON each.

    Each has ``html`` and ``end``, where it ends in the text; the last ``commands``;
    ``error`` says what went wrong on the way. With a ``sentence`` of the text, which
    begins at ``offset``, only that one is rewritten.
    """
    form = await _read_form(request)
    asked = await _read_asked(request, form)
    offset = read_number(form, "offset", 0)
    part = replace(asked, text=str(form.get("sentence") or asked.text))
    rows = await run(request, lambda: _rewrite(request, part))
    lines = _write_lines(request, asked, rows, offset)
    return StreamingResponse(lines, media_type="application/x-ndjson")


@router.post("/documents", response_class=HTMLResponse)
async def rewrite_document(request: Request, caller: Identified) -> HTMLResponse:
    """Rewrite a document in the background; answer with the part that follows it."""
    form = await _read_form(request)
    file = form.get("file")
    name = file.filename or "" if isinstance(file, UploadFile) else ""
    if not isinstance(file, UploadFile) or not is_document(name):
        raise ParaphrastError(
            f"{name or 'this'} is not a document that can be rewritten here. Choose "
            f"one of {', '.join(DOCUMENTS)}."
        )
    asked = Asked.from_form(form, "", document=name)
    job = await submit_file(request, caller, file, asked.of_file())
    context = {
        "asked": asked,
        "job": job,
        "address": _address(request),
        "days": request.app.state.settings.limits.job_days,
    }
    return templates.TemplateResponse(request, "rewrite/document.html", context)


async def _write_lines(
    request: Request, asked: Asked, rows: Iterator[Row], offset: int
) -> AsyncIterator[str]:
    template = templates.get_template("rewrite/row.html")
    try:
        while (row := await run(request, lambda: next(rows, None))) is not None:
            html = template.render(row=row, style=asked.style, offset=offset)
            yield json.dumps({"html": html, "end": row.end}) + "\n"
    except Exception as error:  # noqa: BLE001 - the status has been sent
        yield json.dumps({"error": problems.explain(error).detail}) + "\n"
    commands = templates.get_template("rewrite/commands.html")
    html = commands.render(asked=asked, address=_address(request))
    yield json.dumps({"commands": html}) + "\n"


def _rewrite(request: Request, asked: Asked) -> Iterator[Row]:
    """Load the rewriter, and return the rows of the text."""
    service: Service = request.app.state.service
    loaded = service.load(
        asked.style, using=asked.rewriter or None, strength=asked.own_strength
    )
    return make_rows(
        loaded.rewriter,
        asked.text,
        asked.alternatives,
        reading=Reading(asked.terms, asked.markdown),
        explain=Explain(
            asked.style,
            partial(service.rate, loaded) if asked.scores else None,
            _categorise(asked.style),
        ),
    )


def _categorise(style: str) -> Categorise | None:
    """Return a function that names the categories of changes, one thread at a time."""
    with _categorising:
        categorise = _load_categorise(style)
    if categorise is None:
        return None

    def name(source: str, rewrite: Rewrite) -> Sequence[Sequence[str]]:
        with _categorising:
            return categorise(source, rewrite)

    return name


async def _read_form(request: Request) -> FormData:
    settings: Settings = request.app.state.settings
    return await request.form(max_part_size=settings.limits.body_bytes)


async def _read_asked(request: Request, form: FormData) -> Asked:
    """Return the request of a form; a file replaces the text."""
    settings: Settings = request.app.state.settings
    text, file = str(form.get("text", "")).replace("\r\n", "\n"), form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        if is_document(file.filename):
            raise ParaphrastError(
                f"{file.filename} would lose its formatting here. Switch JavaScript "
                "on, or use the command `paraphrast rewrite`."
            )
        try:
            text = (await file.read()).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ParaphrastError(
                f"{file.filename} is not text in UTF-8. Save it as plain text, or "
                "paste what it says."
            ) from None
    most = settings.limits.characters_per_text
    if len(text) > most:
        raise ParaphrastError(
            f"the text has {len(text):,} characters; here {most:,} may be rewritten "
            "at once. Cut it, or use the command `paraphrast rewrite`."
        )
    if not text.strip():
        raise ParaphrastError("there is no text yet. Paste one, or choose a file.")
    return Asked.from_form(form, text)


def _show_page(
    request: Request, asked: Asked, *, rows: list[Row] | None = None, error: str = ""
) -> HTMLResponse:
    service: Service = request.app.state.service
    context: dict[str, Any] = {
        "asked": asked,
        "styles": service.styles(),
        "rewriters": [offer for offer in service.rewriters() if offer.styles],
        "most": MOST_ALTERNATIVES,
        "texts": TEXTS,
        "documents": DOCUMENTS,
        "document_formats": sorted(WHOLE),
        "limits": service.settings.limits,
        "rows": rows,
        "style": asked.style,
        "offset": 0,
        "detail": error,
        "address": _address(request),
    }
    status = 400 if error else 200
    return templates.TemplateResponse(
        request, "rewrite/page.html", context, status_code=status
    )


def _address(request: Request) -> str:
    return str(request.base_url).rstrip("/")
