"""Take pictures of the studio's pages with real models and our own example texts.

Run    python -m docs.screenshots          the pictures of README and docs/studio.md
       python -m docs.screenshots FOLDER   every page, light and dark, narrow and wide

Needs chromium. Look at the pictures before they are committed.
"""

import secrets
import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright
from sqlalchemy import select

from paraphrast.web import accounts
from paraphrast.web.app import create_app
from paraphrast.web.database import Database
from paraphrast.web.database.tables import Account, Member
from paraphrast.web.identity import COOKIE
from paraphrast.web.settings import Settings

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
MINUTES = 300_000  # milliseconds that a page may take on a busy machine
PAIRS = (
    "i'm gonna be late tomorrow because of the trains\t"
    "I am going to be late tomorrow because of the trains\n"
    "thx a lot for ur help\tThank you very much for your help\n"
)
GUIDELINE = (
    "Link what says the same. A phrase is linked as a block, all of it or nothing."
)
# What is shown in README and docs/studio.md: page, theme, width, height.
SHOWN = (
    ("rewrite", "light", 1180, 600),
    ("align", "light", 1180, 640),
    ("judge", "dark", 1180, 640),
    ("compare", "dark", 1180, 820),
)


PASSWORD = secrets.token_hex()
# Users of the server with accounts; the first one is the project lead.
PEOPLE = {"Lea": "lead", "Ann": "annotator", "Bob": "annotator", "Jo": "adjudicator"}


@dataclass(frozen=True)
class Shown:
    """A page to take a picture of: its address, whose session, a key to press first."""

    url: str
    session: str = ""
    key: str = ""


@contextmanager
def serve(folder: Path, **settings: Any) -> Iterator[tuple[str, Database]]:
    """Run the studio on loopback, and yield its address and its database."""
    app = create_app(Settings(data=folder, **settings))
    with socket.create_server(("127.0.0.1", 0)) as bound:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, args=([bound],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}", app.state.database
        finally:
            server.should_exit = True
            thread.join()


def prepare(address: str) -> dict[str, Shown]:
    """Make a comparison and two projects; return all pages of a single user."""
    sources = (ROOT / "examples" / "messages.txt").read_bytes()
    with httpx.Client(base_url=address, follow_redirects=True, timeout=300) as client:
        comparison = client.post(
            "/compare",
            data={"style": "formal", "judged": "1", "rewriters": ["rules", "neural"]},
            files=[("source", ("messages.txt", sources))],
        )
        token = comparison.url.path
        aligning = _make_project(client, "Casual and formal", "align")
        client.post(f"{aligning}/pairs", files={"file": ("pairs.tsv", PAIRS)})
        client.post(f"{aligning}/assign")
        sent = {"title": "Which is better?", "protocol": "gyafc", "number": "10"}
        judging = client.post(f"{token}/judge", data=sent).url.path
        client.post(f"{judging}/assign")
        pages = {
            "rewrite": "/rewrite",
            "compare": token,
            "compare-form": "/compare",
            "compare-blind": f"{token}?blind=1",
            "align": client.get(f"{aligning}/work").url.path,
            "judge": client.get(f"{judging}/work").url.path,
            "align-list": "/align",
            "judge-list": "/judge",
            "projects": "/projects",
            "project": aligning,
            "judging-project": judging,
            "agreement": f"{aligning}/results",
            "results": f"{judging}/results",
            "account": "/account",
            "not-found": "/nowhere",
        }
    shown = {name: Shown(address + path) for name, path in pages.items()}
    return shown | {"align-lines": Shown(shown["align"].url, key="v")}


def prepare_department(address: str, database: Database) -> dict[str, Shown]:
    """Let several people work; return the pages that look different with accounts."""
    with database.write() as session:
        _, invitation = accounts.invite(session, None, "lead")
        for name in PEOPLE:
            accounts.create_account(
                session, name, PASSWORD, administrator=PEOPLE[name] == "lead"
            )
    clients = {name: _sign_in(address, name) for name in PEOPLE}
    project = _make_project(clients["Lea"], "Casual and formal", "align")
    with database.write() as session:
        for account in session.scalars(select(Account).where(Account.name != "Lea")):
            session.add(
                Member(
                    project_id=int(project.rpartition("/")[2]),
                    account_id=account.id,
                    role=PEOPLE[account.name],
                )
            )
    clients["Lea"].post(f"{project}/pairs", files={"file": ("pairs.tsv", PAIRS)})
    clients["Lea"].post(f"{project}/settings", data={"guideline": GUIDELINE})
    clients["Lea"].post(f"{project}/assign")
    for name, cells in (("Ann", [[0, 0], [0, 1]]), ("Bob", [[2, 3]])):
        _align(clients[name], project, cells)
    tokens = {name: client.cookies[COOKIE] for name, client in clients.items()}
    paths = {
        "lead": ("Lea", project),
        "lead-agreement": ("Lea", f"{project}/results"),
        "people": ("Lea", "/people"),
        "account-password": ("Lea", "/account"),
        "annotator": ("Ann", project),
        "annotator-next": ("Ann", clients["Ann"].get(f"{project}/work").url.path),
        "adjudicate": ("Jo", clients["Jo"].get(f"{project}/work").url.path),
        "annotator-list": ("Ann", "/align"),
        "annotator-nothing": ("Ann", "/judge"),
    }
    shown = {n: Shown(address + path, tokens[who]) for n, (who, path) in paths.items()}
    return shown | {
        "sign-in": Shown(f"{address}/sign-in"),
        "invitation": Shown(f"{address}/invitations/{invitation}"),
        "guest": Shown(f"{address}/invitations/{invitation}", tokens["Ann"]),
    }


def _sign_in(address: str, name: str) -> httpx.Client:
    client = httpx.Client(base_url=address, follow_redirects=True, timeout=300)
    client.post(
        "/sign-in", data={"name": name, "password": PASSWORD}
    ).raise_for_status()
    return client


def _align(client: httpx.Client, project: str, cells: list[list[int]]) -> None:
    path = client.get(f"{project}/work").url.path
    link = {"cells": cells, "label": "possible"}
    for kind, content in (("accept", {}), ("link", link), ("done", {})):
        event = {"key": kind, "kind": kind, "content": content}
        client.post(f"{path}/events", json=event).raise_for_status()


def _make_project(client: httpx.Client, title: str, kind: str) -> str:
    made = client.post("/projects", data={"title": title, "kind": kind})
    return str(made.url.path)


def shoot(
    browser: Browser,
    shown: Shown,
    path: Path,
    *,
    theme: Any,
    width: int,
    height: int = 0,
) -> None:
    """Take a picture of a page; without a height, of the whole page."""
    page = browser.new_page(
        viewport={"width": width, "height": height or 900},
        color_scheme=theme,
        reduced_motion="reduce",
    )
    page.set_default_timeout(MINUTES)
    if shown.session:
        cookie: Any = {"name": COOKIE, "value": shown.session, "url": shown.url}
        page.context.add_cookies([cookie])
    page.goto(shown.url, wait_until="networkidle")
    if shown.url.endswith("/rewrite"):
        _rewrite(page)
        if height:
            page.locator("#result").evaluate("one => one.scrollIntoView()")
            page.mouse.move(0, 0)
    if shown.key:
        page.keyboard.press(shown.key)
    page.screenshot(path=path, full_page=not height)
    page.close()


def _rewrite(page: Page) -> None:
    page.click("#go")
    page.wait_for_selector("#commands pre")
    page.wait_for_selector("#ask:not([aria-busy])")
    page.locator(".sentence").first.focus()


def main() -> None:
    """Take the pictures."""
    everything = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        alone, _ = stack.enter_context(serve(folder / "alone"))
        pages = prepare(alone)
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        stack.callback(browser.close)
        if everything is None:
            IMAGES.mkdir(exist_ok=True)
            for name, theme, width, height in SHOWN:
                path = IMAGES / f"{name}.png"
                shoot(
                    browser, pages[name], path, theme=theme, width=width, height=height
                )
            return
        settings = {"accounts": True, "secret": secrets.token_hex()}
        department = stack.enter_context(serve(folder / "department", **settings))
        everything.mkdir(exist_ok=True)
        for name, shown in (pages | prepare_department(*department)).items():
            for theme in ("light", "dark"):
                for width in (400, 1440):
                    path = everything / f"{name}-{theme}-{width}.png"
                    shoot(browser, shown, path, theme=theme, width=width)


if __name__ == "__main__":
    main()
