"""What holds of every page of the studio with accounts: axe-core, widths."""

import pytest
from playwright.sync_api import expect

from tests.browser.studio_people import PASSWORD, Department


@pytest.fixture(scope="module")
def department(serve, tmp_path_factory):
    department = Department(serve, tmp_path_factory.mktemp("pages"))
    roles = {"Ann": "annotator"}
    department.align = department.create_project("Pairs", roles)
    department.judge = department.create_project("Judged", roles, kind="gyafc")
    yield department
    department.database.close()


def list_paths(department):
    project = f"/projects/{department.align}"
    return [
        *(project, f"{project}/results", "/projects", "/align"),
        *("/account", "/people", f"/projects/{department.judge}/results"),
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(department, open_page, find_violations, theme):
    paths = list_paths(department)
    lead = department.open(open_page, "Lea", theme=theme)
    for path in paths if theme == "light" else paths[:2]:
        lead.goto(path)
        assert find_violations(lead) == [], path
    ann = department.open(open_page, "Ann", theme=theme)
    for project in (department.judge, department.align):
        ann.goto(f"/projects/{project}/work")
        expect(ann.locator("#work")).to_be_visible()
        assert find_violations(ann) == []
    ann.keyboard.press("v")
    assert find_violations(ann) == []


def test_axe_finds_nothing_before_anybody_signs_in(
    department, open_page, find_violations
):
    page = open_page("/sign-in", base=department.address)
    assert find_violations(page) == []


def test_a_name_and_a_password_lead_to_the_page_that_was_wanted(department, open_page):
    path = f"/projects/{department.align}"
    page = open_page(f"/sign-in?next={path}", base=department.address)
    page.get_by_label("Name").fill("Ann")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**{path}")


@pytest.mark.parametrize("width", [400, 3840])
def test_nothing_is_wider_than_the_window(department, open_page, width):
    size = "() => document.documentElement.scrollWidth - window.innerWidth"
    lead = department.open(open_page, "Lea", width=width)
    for path in list_paths(department):
        lead.goto(path)
        assert lead.evaluate(size) <= 0, path
    ann = department.open(open_page, "Ann", width=width)
    for project in (department.align, department.judge):
        ann.goto(f"/projects/{project}/work")
        assert ann.evaluate(size) <= 0
