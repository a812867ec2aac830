"""The Compare page in a browser: by mouse and by keyboard alone."""

import pytest
from playwright.sync_api import expect

SOURCES = "gonna be late\nsee you at 5\nthanks a lot, u rock\n"


def text_file(name, text):
    return {"name": name, "mimeType": "text/plain", "buffer": text.encode()}


@pytest.fixture
def page(open_page):
    """Return a comparison of a file with the rules."""
    page = open_page("/compare")
    page.fill("#text", SOURCES)
    page.set_input_files("#outputs", [text_file("shout.txt", SOURCES.upper())])
    page.check("[name=rewriters][value=rules]")
    page.uncheck("[name=judged]")
    page.locator("button.primary").press("Enter")
    page.wait_for_url("**/compare/*")
    return page


def test_systems_stand_side_by_side_and_are_sorted_in_place(page):
    line = page.locator(".line").first
    assert line.locator(".system").count() == 3
    expect(page.locator("#scores")).to_be_visible()
    page.evaluate("() => window.same = true")
    page.locator("#order").select_option("line")
    page.wait_for_url("**order=line*")
    expect(page.locator(".line").first).to_have_id("line-1")
    assert page.evaluate("() => window.same")  # no new page was loaded
    page.go_back()
    expect(page.locator("#order")).to_have_value("disagreement")


def test_reading_blind_hides_who_is_who(page):
    page.get_by_text("Read blind").press("Enter")
    page.wait_for_url("**blind=1*")
    assert "shout" not in page.locator("main").inner_text()
    page.get_by_text("Show names and figures").press("Enter")
    expect(page.locator("#scores")).to_be_visible()


def test_gaming_leads_to_its_lines(page):
    page.locator("[aria-labelledby=gaming] a").first.press("Enter")
    page.wait_for_url("**kind=*")
    expect(page.locator("#lines .badge.warning").first).to_be_visible()


def test_the_page_works_by_keyboard_alone(open_page):
    page = open_page("/compare")
    page.locator("#text").focus()
    page.keyboard.type("u ok?\nim fine")
    rules = page.locator("[name=rewriters][value=rules]")
    while not rules.evaluate("one => one === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.locator("[name=judged]").press("Space")
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare/*")
    page.locator("#order").focus()
    page.keyboard.type("as in")
    page.wait_for_url("**order=line*")
    expect(page.locator(".line").first).to_contain_text("u ok?")


def test_axe_finds_nothing_in_a_comparison(page, open_page, find_violations):
    own = open_page(page.url, width=400)
    own.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    assert find_violations(own) == []
    size = "() => document.documentElement.scrollWidth - window.innerWidth"
    assert own.evaluate(size) <= 0
