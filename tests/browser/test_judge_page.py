"""The Judge page in a browser: by keyboard and by mouse, blind, nothing missing."""

import pytest
from playwright.sync_api import expect

from tests.browser.studio_people import Department


@pytest.fixture(scope="module")
def department(serve, tmp_path_factory):
    department = Department(serve, tmp_path_factory.mktemp("judges"))
    yield department
    department.database.close()


def open_work(department, open_page, protocol):
    project = department.create_project(protocol, {"Ann": "annotator"}, kind=protocol)
    page = department.open(open_page, "Ann", f"/projects/{project}")
    page.get_by_role("link", name="Begin").click()
    expect(page.locator("fieldset.question").first).to_be_visible()
    page.wait_for_load_state()  # keys are heard once the script has run
    return page


def test_outputs_are_judged_by_keyboard_alone(department, open_page):
    page = open_work(department, open_page, "strap")
    first = page.url
    page.keyboard.press("Enter")
    expect(page.locator("#saved")).to_have_text("Not done yet: label.")
    page.keyboard.press("2")
    expect(page.locator("fieldset[data-answered]")).to_have_count(1)
    page.keyboard.press("u")
    expect(page.locator("fieldset[data-answered]")).to_have_count(0)
    page.keyboard.press("1")  # as the answer's own number says
    expect(page.get_by_label("1 a paraphrase")).to_be_checked()
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != first and "/assignments/" in url)


def test_the_source_is_shown_after_the_questions_without_it(department, open_page):
    page = open_work(department, open_page, "gyafc")
    expect(page.get_by_role("heading", name="Source")).to_have_count(0)
    for fieldset in page.locator("fieldset.question").all():
        fieldset.get_by_role("radio").last.check()
    expect(page.get_by_role("heading", name="Source")).to_be_visible()
    assert "alpha" not in page.content()
    assert page.locator("fieldset.question").count() == 8
    page.reload()
    assert page.locator("fieldset[data-answered]").count() == 4


def test_a_fault_is_asked_for_only_where_there_is_one(department, open_page):
    page = open_work(department, open_page, "acceptance")
    fault = page.locator("fieldset[data-criterion=fault]")
    expect(fault).to_be_hidden()
    page.get_by_label("0 no", exact=True).first.check()
    expect(fault).to_be_visible()
    fault.get_by_role("textbox").fill("wordy")
    with page.expect_response("**/events"):
        page.keyboard.press("Enter")
    expect(fault.get_by_role("textbox")).not_to_be_focused()
    expect(page.locator("#saved")).to_have_text("All changes are saved.")
    page.reload()
    expect(fault.get_by_role("textbox")).to_have_value("wordy")
    page.locator("#comment").press("Enter")
    page.keyboard.press("Enter")  # out of the field it means: done
    expect(page.locator("#saved")).to_contain_text("Not done yet")
