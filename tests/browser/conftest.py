"""One server and one browser for all browser tests; a page of its own for each.

The browser is the system's chromium, driven by Playwright. Every page is watched: an
error in a script, or something that the Content-Security-Policy blocked, fails the
test. Use ``open_page`` for a second person, and ``find_violations`` for axe-core.
"""

import asyncio
import shutil
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import sync_playwright

from paraphrast.web.settings import Settings
from tests.web_server import Server

AXE = Path(__file__).with_name("axe.min.js")
SECONDS = 20_000  # milliseconds that anything may take on a busy machine


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            # A browser on a busy machine misses a key now and then; a fault stays.
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.fixture(scope="session")
def serve():
    """Return a function that starts a server; all end with the session."""
    servers = []

    def start(settings):
        servers.append(Server(settings))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def address(serve, tmp_path_factory):
    """Return the address of a studio for one person alone."""
    return serve(Settings(data=tmp_path_factory.mktemp("studio"))).address


@pytest.fixture(scope="session")
def chromium():
    """Return the browser, and the event loop that Playwright runs for it."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield browser, loop
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture
def browser(chromium):
    """Return the browser for one test; other tests may run event loops of their own."""
    browser, loop = chromium
    asyncio._set_running_loop(loop)
    yield browser
    asyncio._set_running_loop(None)


@pytest.fixture
def open_page(browser, address):
    """Return a function that opens a page of a person of their own."""
    contexts, complaints = [], []

    def open_page(path="", *, theme="light", width=1280, base=address, **options):
        context = browser.new_context(
            base_url=base,
            color_scheme=theme,
            viewport={"width": width, "height": 900},
            reduced_motion="reduce",
            **options,
        )
        contexts.append(context)
        context.set_default_timeout(SECONDS)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text)
                if "Content Security Policy" in message.text
                else None
            ),
        )
        if path:
            page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def find_violations():
    """Return a function that lists what axe-core finds wrong with a page.

    It checks everything in the light theme, and contrast in the dark one.
    """

    def run(page, **options):
        found = page.evaluate(
            "options => axe.run(document, options)",
            {"resultTypes": ["violations"]} | options,
        )
        return [
            f"{violation['id']}: {node['html']}"
            for violation in found["violations"]
            for node in violation["nodes"]
        ]

    def find_violations(page):
        # The policy forbids scripts of others; the debugger may run them.
        page.evaluate(AXE.read_text("utf-8"))
        found = run(page)
        page.emulate_media(color_scheme="dark")
        found += run(page, runOnly=["color-contrast"])
        page.emulate_media(color_scheme="light")
        return found

    return find_violations
