"""Where the templates are, and how a page is made of one.

Every template gets ``pages`` (addresses and names for the navigation), ``theme``,
``version``, ``person`` (who is signed in, if anybody is), ``accounts`` (whether there
are any) and ``static(name)``, the
address of a file that changes with its content.
"""

from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from fastapi import Request
from starlette.templating import Jinja2Templates

from paraphrast import __version__

WEB = Path(__file__).parents[1]
PAGES = (
    ("/rewrite", "Rewrite"),
    ("/align", "Align"),
    ("/judge", "Judge"),
    ("/compare", "Compare"),
    ("/projects", "Projects"),
)
THEMES = ("auto", "light", "dark")
THEME_COOKIE = "theme"


def _frame(request: Request) -> dict[str, Any]:
    """Return what the frame around every page needs."""
    theme = request.cookies.get(THEME_COOKIE, "")
    return {
        "pages": PAGES,
        "theme": theme if theme in THEMES else THEMES[0],
        "person": getattr(request.state, "person", None),
        "accounts": request.app.state.settings.accounts,
    }


@cache
def static(name: str) -> str:
    """Return the address of a static file, with a hash of its content."""
    digest = sha256((WEB / "static" / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?{digest}"


def as_sentence(text: str) -> str:
    """Return a message with a capital, unless it begins with the name of a file."""
    if "." in text.partition(" ")[0].rstrip(".:,"):
        return text
    return text[:1].upper() + text[1:]


def as_date(time: int | None) -> str:
    """Return a time in milliseconds as a date and a time of day, UTC."""
    if time is None:
        return "–"
    return f"{datetime.fromtimestamp(time / 1_000, UTC):%Y-%m-%d %H:%M}"


templates = Jinja2Templates(directory=WEB / "templates", context_processors=[_frame])
templates.env.globals |= {"static": static, "version": __version__}
templates.env.filters |= {"sentence": as_sentence, "date": as_date}
templates.env.trim_blocks = templates.env.lstrip_blocks = True
