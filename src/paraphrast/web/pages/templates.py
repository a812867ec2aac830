"""Where the templates are, and how a page is made of one."""

from pathlib import Path

from starlette.templating import Jinja2Templates

templates = Jinja2Templates(directory=Path(__file__).parents[1] / "templates")
