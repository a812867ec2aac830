"""The first address, and the colours of all pages."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Response
from fastapi.responses import RedirectResponse

from paraphrast.web.pages.templates import PAGES, THEME_COOKIE

YEAR = 365 * 24 * 60 * 60

router = APIRouter()


@router.get("/")
async def home() -> RedirectResponse:
    """Redirect to the main page."""
    return RedirectResponse(PAGES[0][0], 303)


@router.post("/theme")
async def choose_theme(
    theme: Annotated[Literal["auto", "light", "dark"], Form()],
) -> Response:
    """Store the theme in a cookie."""
    response = Response(status_code=204)
    response.set_cookie(
        THEME_COOKIE, theme, max_age=YEAR, httponly=True, samesite="lax"
    )
    return response
