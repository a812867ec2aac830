"""The first page."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from paraphrast.web.pages.templates import templates

router = APIRouter()


@router.get("/", response_class=HTMLResponse)
async def home(request: Request) -> HTMLResponse:
    """Show the first page."""
    return templates.TemplateResponse(request, "base.html")
