"""Take pictures of the studio's pages with real models and our own example texts.

Run    python -m docs.screenshots          the pictures of README and docs/studio.md
       python -m docs.screenshots FOLDER   every page, light and dark, narrow and wide

Needs chromium. Look at the pictures before they are committed.
"""

import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

from paraphrast.web.app import create_app
from paraphrast.web.settings import Settings

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
MINUTES = 300_000  # milliseconds that a page may take on a busy machine
PAIRS = (
    "i'm gonna be late tomorrow because of the trains\t"
    "I am going to be late tomorrow because of the trains\n"
    "thx a lot for ur help\tThank you very much for your help\n"
)
# What is shown in README and docs/studio.md: page, theme, width, height.
SHOWN = (
    ("rewrite", "light", 1180, 600),
    ("align", "light", 1180, 640),
    ("judge", "dark", 1180, 640),
    ("compare", "dark", 1180, 820),
)


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Run the studio on loopback, and give its address."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        config = uvicorn.Config(create_app(Settings(data=folder)), log_level="warning")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([bound],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def prepare(address: str) -> dict[str, str]:
    """Make a comparison and two projects; return the addresses of all pages."""
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
        return {
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


def _make_project(client: httpx.Client, title: str, kind: str) -> str:
    made = client.post("/projects", data={"title": title, "kind": kind})
    return str(made.url.path)


def shoot(
    browser: Browser, url: str, path: Path, *, theme: Any, width: int, height: int = 0
) -> None:
    """Take a picture of a page; of all of it, without a height."""
    page = browser.new_page(
        viewport={"width": width, "height": height or 900},
        color_scheme=theme,
        reduced_motion="reduce",
    )
    page.set_default_timeout(MINUTES)
    page.goto(url)
    if url.endswith("/rewrite"):
        _rewrite(page)
        if height:
            page.locator("#result").evaluate("one => one.scrollIntoView()")
            page.mouse.move(0, 0)
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
    with TemporaryDirectory() as folder, serve(Path(folder)) as address:
        pages = prepare(address)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            if everything is None:
                IMAGES.mkdir(exist_ok=True)
                for name, theme, width, height in SHOWN:
                    path = IMAGES / f"{name}.png"
                    url = address + pages[name]
                    shoot(browser, url, path, theme=theme, width=width, height=height)
            else:
                everything.mkdir(exist_ok=True)
                for name, where in pages.items():
                    for theme in ("light", "dark"):
                        for width in (400, 1440):
                            path = everything / f"{name}-{theme}-{width}.png"
                            shoot(
                                browser, address + where, path, theme=theme, width=width
                            )
            browser.close()


if __name__ == "__main__":
    main()
