"""The Align page in a browser: by keyboard, by mouse, and when things fail."""

import pytest
from playwright.sync_api import expect

from tests.browser.studio_people import PASSWORD, Department

ROLES = {"Ann": "annotator", "Bob": "annotator", "Jo": "adjudicator"}


@pytest.fixture(scope="module")
def department(serve, tmp_path_factory):
    department = Department(serve, tmp_path_factory.mktemp("department"))
    yield department
    department.database.close()


@pytest.fixture
def project(department, request):
    return department.create_project(request.node.name, ROLES, blind=True)


def open_work(department, open_page, name, project):
    page = department.open(open_page, name, f"/projects/{project}")
    page.get_by_role("link", name="Begin").click()
    expect(page.locator("#matrix td").first).to_be_visible()
    page.wait_for_load_state()  # keys are heard once the script has run
    return page


@pytest.fixture
def page(department, open_page, project):
    return open_work(department, open_page, "Ann", project)


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def expect_cells(page, **cells):
    """Expect labels of cells, named as in ``c0_1``."""
    for name, label in cells.items():
        cell = page.locator(f"#{name.replace('_', '-')}")
        expect(cell).to_have_text(label)
    expect(page.locator("#saved")).to_have_text("All changes are saved.")


def test_links_are_made_by_keyboard_alone_and_undone_after_a_reload(page):
    press(page, "s", "ArrowRight", "ArrowDown", "p")
    expect_cells(page, c0_0="S", c1_1="P")
    press(page, "ArrowRight", "Shift+ArrowRight", "s")
    expect_cells(page, c1_2="S", c1_3="S")
    press(page, "u")
    expect_cells(page, c1_2="", c1_3="", c1_1="P")
    page.reload()
    press(page, "u")
    expect_cells(page, c0_0="S", c1_1="")
    press(page, "U", "U")
    expect_cells(page, c1_1="P", c1_2="S", c1_3="S")
    press(page, "ArrowDown", "n")
    expect(page.locator("th[data-side=source][data-null]")).to_have_count(1)
    expect(page.locator(".keys")).to_contain_text("undo")


def test_links_are_made_by_mouse(page):
    page.locator("#c2-3").click()
    page.locator("#c2-3").click()
    expect_cells(page, c2_3="S")
    page.locator("#c2-3").click()
    expect_cells(page, c2_3="P")
    page.locator("#c3-4").click(modifiers=["Shift"])
    page.get_by_role("button", name="Sure").click()
    expect_cells(page, c2_3="S", c2_4="S", c3_3="S", c3_4="S")
    page.get_by_role("button", name="Undo").click()
    expect_cells(page, c2_3="P", c3_4="")


def test_two_lines_show_the_same_state_and_take_the_same_keys(page):
    press(page, "s", "v")
    expect(page.locator("#matrix")).to_be_hidden()
    expect(page.locator("#lines line")).to_have_count(1)
    press(page, "ArrowRight", "Tab", "ArrowRight", "ArrowRight", "p")
    expect(page.locator("#lines line[data-label=possible]")).to_have_count(1)
    press(page, "v")
    expect_cells(page, c0_0="S", c1_2="P")


def test_done_leads_to_the_next_pair_and_back_shows_the_last(page):
    first = page.url
    press(page, "s", "Enter")
    page.wait_for_url(lambda url: url != first and "/assignments/" in url)
    page.go_back()
    page.wait_for_url(first)
    expect(page.locator("#c0-0")).to_have_text("S")
    expect(page.locator("#saved")).to_have_text("Done.")


def test_events_without_an_answer_are_kept_and_sent_again(page):
    page.context.set_offline(True)
    press(page, "s", "ArrowRight", "p")
    expect(page.locator("#saved")).to_contain_text("Not saved yet")
    expect(page.locator("#c0-0")).to_have_attribute("data-unsaved", "")
    page.context.set_offline(False)
    expect_cells(page, c0_0="S", c0_1="P")
    assert page.locator("[data-unsaved]").count() == 0
    page.reload()
    expect(page.locator("#c0-1")).to_have_text("P")


def test_events_still_being_sent_are_not_shown_as_saved(page):
    held = []
    page.route("**/events", lambda route: held.append(route))
    press(page, "s")
    expect(page.locator("#saved")).to_have_text("Saving…")
    expect(page.locator("#saved")).to_be_in_viewport()
    held[0].abort()
    expect(page.locator("#saved")).to_contain_text("Not saved yet")
    page.unroute("**/events")
    expect_cells(page, c0_0="S")


def test_unsent_work_survives_a_reload(page):
    page.route("**/events", lambda route: route.abort())
    press(page, "s")
    expect(page.locator("#saved")).to_contain_text("Not saved yet")
    page.unroute("**/events")
    page.reload()
    expect_cells(page, c0_0="S")


def test_a_session_that_ends_asks_in_place_and_loses_nothing(page, department):
    department.end_sessions()
    press(page, "s")
    dialog = page.locator("#sign-in")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Password").fill("wrong password")
    dialog.get_by_role("button").click()
    expect(dialog).to_contain_text("wrong name or password")
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button").click()
    expect(dialog).to_be_hidden()
    expect_cells(page, c0_0="S")


def test_two_tabs_of_one_annotator_come_to_one_state(page):
    other = page.context.new_page()
    other.goto(page.url)
    press(page, "s")
    expect_cells(page, c0_0="S")
    press(other, "ArrowRight", "p")
    expect_cells(other, c0_0="S", c0_1="P")
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator("#c0-1")).to_have_text("P")


def test_unsent_work_of_two_tabs_that_crash_is_kept(page):
    context, other = page.context, page.context.new_page()
    other.goto(page.url)
    context.set_offline(True)
    press(page, "s", "ArrowDown", "s")
    press(other, "ArrowRight", "p")
    for tab in (page, other):
        expect(tab.locator("#saved")).to_contain_text("Not saved yet")
    address = page.url
    for tab in (page, other):
        tab.close()
    context.set_offline(False)
    again = context.new_page()
    again.goto(address)
    expect_cells(again, c0_0="S", c1_0="S", c0_1="P")


def test_words_are_tokenized_again(page):
    press(page, "t")
    page.locator("#source-words").fill("I 'm gon na be late tomorrow .")
    page.get_by_role("button", name="Save tokens").click()
    expect(page.locator("tbody th").nth(1)).to_have_text("'m")
    press(page, "ArrowDown", "s")
    expect_cells(page, c1_0="S")


def test_two_annotators_and_an_adjudicator_at_once(department, open_page, project):
    pages = [open_work(department, open_page, n, project) for n in ("Ann", "Bob")]
    for page, key in zip(pages, "sp", strict=True):
        press(page, key, "ArrowDown", "ArrowRight", "s")
        expect_cells(page, c0_0=key.upper(), c1_1="S")
    for page in pages:
        press(page, "Enter")
        page.wait_for_url("**/assignments/*")
        expect(page.locator("h1")).to_contain_text("2")
    judge = open_work(department, open_page, "Jo", project)
    labels = judge.locator("#c0-0").text_content()
    assert sorted(labels.split("|")) == ["P", "S"]
    expect(judge.locator("#c1-1")).to_have_text("S")
    expect(judge.locator("#here")).to_contain_text("1 to decide")
    press(judge, "Enter")
    expect(judge.locator("#saved")).to_contain_text("Not done yet")
    press(judge, "j", "1")
    expect_cells(judge, c0_0=labels[0])
    press(judge, "Enter")
    judge.wait_for_url(f"**/projects/{project}")
    expect(judge.get_by_text("All done")).to_be_visible()
