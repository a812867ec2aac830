"""The Compare page: systems as columns, between COPY and REFERENCE."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup
from starlette.datastructures import FormData, UploadFile

from paraphrast.comparison import plots, report, tables
from paraphrast.comparison.gaming import MEANINGS
from paraphrast.errors import ParaphrastError
from paraphrast.web import exchange
from paraphrast.web.annotation.imports import add_outputs
from paraphrast.web.api.rewriting import run
from paraphrast.web.authorisation import authorise
from paraphrast.web.identity import Db, SignedIn
from paraphrast.web.pages.compare_view import View, list_kinds
from paraphrast.web.pages.projects import protocol_folder
from paraphrast.web.pages.rewrite_form import read_number
from paraphrast.web.pages.templates import templates
from paraphrast.web.problems import Problem
from paraphrast.web.projects import create_project
from paraphrast.web.protocols import find_protocol, load_protocols
from paraphrast.web.service.comparing import (
    MOST_LINES,
    Asked,
    Comparisons,
    Kept,
    TextFile,
    compare,
)
from paraphrast.web.service.rewriting import Service

USUALLY_JUDGED = 100  # lines
DOWNLOADS = {
    "html": ("text/html", report.html),
    "json": ("application/json", tables.as_json),
    "csv": ("text/csv", tables.as_csv),
}

router = APIRouter(prefix="/compare")


@router.get("", response_class=HTMLResponse)
def show_form(request: Request) -> HTMLResponse:
    """Show the form of a comparison."""
    return _show_form(request, {})


@router.post("")
async def start(request: Request) -> Response:
    """Compare and redirect to the result, or show errors and keep the input."""
    service: Service = request.app.state.service
    form = await request.form(max_part_size=service.settings.limits.body_bytes)
    try:
        asked = await _read_asked(form)
        comparison = await run(request, lambda: compare(service, asked))
    except ParaphrastError as error:
        return _show_form(request, form, error=str(error))
    kept = Kept(comparison, _owner(request), asked.as_command())
    token = _comparisons(request).keep(kept)
    return RedirectResponse(f"/compare/{token}", 303)


@router.get("/{token}", response_class=HTMLResponse)
def show(request: Request, token: str) -> HTMLResponse:
    """Show a comparison: figures, trade-offs, gaming, and line by line."""
    kept = _find(request, token)
    return _show(request, kept, _read_view(request.query_params, kept, token))


def _show(request: Request, kept: Kept, view: View, *, error: str = "") -> HTMLResponse:
    comparison = kept.comparison
    drawn = [] if view.blind else _draw(comparison)
    context: dict[str, Any] = {
        "view": view,
        "kept": kept,
        "comparison": comparison,
        "heading": view.heading,
        "plots": drawn,
        "kinds": {kind: MEANINGS[kind] for kind in list_kinds(comparison.rows)},
        "unchecked": tables.list_unchecked(comparison),
        "downloads": DOWNLOADS,
        "protocols": load_protocols(protocol_folder(request)),
        "most_judged": min(USUALLY_JUDGED, len(view.chosen)),
        "detail": error,
    }
    return templates.TemplateResponse(
        request, "compare/result.html", context, status_code=400 if error else 200
    )


@router.post("/{token}/judge")
async def send_to_judges(
    request: Request, database: Db, person: SignedIn, token: str
) -> Response:
    """Create a judging project from the first lines, in the current order."""
    kept = _find(request, token)
    form = await request.form()
    view = _read_view(form, kept, token)

    def make() -> int:
        protocol = find_protocol(
            str(form.get("protocol", "")), protocol_folder(request)
        )
        number = read_number(form, "number", USUALLY_JUDGED)
        if number < 1:
            raise ParaphrastError("send at least one line.")
        outputs = exchange.gather_outputs(
            {i: kept.comparison.sources[i] for i in view.chosen[:number]},
            {
                row.name: row.outputs
                for row in view.columns
                if not row.control or row.name in form.getlist("controls")
            },
            target=kept.comparison.targets[0],
        )
        with database.write() as session:
            authorise(session, person, "administer")
            title = str(form.get("title", ""))
            project = create_project(session, person, title=title, protocol=protocol)
            add_outputs(session, project, outputs)
            return project.id

    try:
        made = await run(request, make)
    except ParaphrastError as error:
        return _show(request, kept, view, error=str(error))
    return RedirectResponse(f"/projects/{made}", 303)


@router.get("/{token}/report.{kind}")
def download(request: Request, token: str, kind: str) -> Response:
    """Return the comparison as a file: HTML, JSON or CSV."""
    kept = _find(request, token)
    if kind not in DOWNLOADS:
        raise Problem(404, f"there is no report.{kind}.")
    media_type, write = DOWNLOADS[kind]
    return Response(
        write(kept.comparison),
        media_type=f"{media_type}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="comparison.{kind}"'},
    )


def _draw(comparison: Any) -> list[dict[str, Any]]:
    names = [column.name for column in comparison.columns]
    return [
        {
            "svg": Markup(plots.scatter(comparison, x, y)),  # escapes what it is given
            "caption": f"{names[y]} against {names[x]}; crosses are 95% intervals, "
            "diamonds the yardsticks.",
        }
        for x, y in plots.trade_offs(comparison)
    ]


def _read_view(query: Mapping[str, Any], kept: Kept, token: str) -> View:
    view = View(
        kept.comparison,
        token,
        order=str(query.get("order") or View.order),
        blind=bool(query.get("blind")),
        kind=str(query.get("kind", "")),
        system=str(query.get("system", "")),
        page=max(1, read_number(query, "page", 1)),
    )
    if view.kind and view.kind not in list_kinds(kept.comparison.rows):
        raise ParaphrastError(f"there is no check {view.kind!r}.")
    return view


async def _read_asked(form: FormData) -> Asked:
    """Return the request of a form."""
    sources = await _read_files(form, "source")
    text = str(form.get("text", "")).strip()
    if not sources and not text:
        raise ParaphrastError(
            "there are no sources yet. Paste some, one per line, or choose a file."
        )
    pasted = TextFile("source.txt", text.replace("\r\n", "\n").encode())
    corpus = await _read_files(form, "corpus")
    return Asked(
        source=sources[0] if sources else pasted,
        outputs=await _read_files(form, "outputs"),
        references=await _read_files(form, "references"),
        corpus=corpus[0] if corpus else None,
        rewriters=[str(name) for name in form.getlist("rewriters")],
        style=str(form.get("style", "")),
        judged="judged" in form,
    )


async def _read_files(form: FormData, name: str) -> list[TextFile]:
    return [
        TextFile(_last_part(file.filename), await file.read())
        for file in form.getlist(name)
        if isinstance(file, UploadFile) and file.filename
    ]


def _last_part(name: str) -> str:
    """Return a file's name without the folders that some browsers send along."""
    return name.replace("\\", "/").rpartition("/")[2]


def _show_form(request: Request, form: Any, *, error: str = "") -> HTMLResponse:
    service: Service = request.app.state.service
    context = {
        "text": str(form.get("text", "")),
        "style": str(form.get("style", "formal")),
        "styles": service.styles(),
        "rewriters": [offer for offer in service.rewriters() if offer.styles],
        "most_lines": MOST_LINES,
        "detail": error,
    }
    return templates.TemplateResponse(
        request, "compare/form.html", context, status_code=400 if error else 200
    )


def _find(request: Request, token: str) -> Kept:
    kept = _comparisons(request).find(token, _owner(request))
    if kept is None:
        raise Problem(
            404,
            "this comparison is no longer kept. Comparisons stay in memory until newer "
            "ones take their place; make it again.",
        )
    return kept


def _comparisons(request: Request) -> Comparisons:
    comparisons: Comparisons = request.app.state.comparisons
    return comparisons


def _owner(request: Request) -> int | None:
    person = getattr(request.state, "person", None)
    return None if person is None else person.id
