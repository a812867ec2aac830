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
    roles |= {"Bob": "annotator", "Jo": "adjudicator"}
    department.done = department.create_project("Done", roles, blind=True)
    department.finish(department.done, "Ann", "sure")
    department.finish(department.done, "Bob", "possible")
    yield department
    department.database.close()


def list_paths(department):
    aligned, judged, done = (
        f"/projects/{number}"
        for number in (department.align, department.judge, department.done)
    )
    return [
        *(aligned, judged, done, f"{judged}/results", f"{done}/results"),
        *("/projects", "/align", "/judge", "/account", "/people", "/nowhere"),
        department.invite(department.align),
    ]


def test_axe_finds_nothing(department, open_page, find_violations):
    lead = department.open(open_page, "Lea")
    for path in list_paths(department):
        lead.goto(path)
        assert find_violations(lead) == [], path


def test_axe_finds_nothing_where_people_work(department, open_page, find_violations):
    ann, jo = (department.open(open_page, name) for name in ("Ann", "Jo"))
    ann.goto(f"/projects/{department.done}")
    assert find_violations(ann) == []
    for page, project in (
        (jo, department.done),
        (ann, department.judge),
        (ann, department.align),
    ):
        page.goto(f"/projects/{project}/work")
        expect(page.locator("#work")).to_be_visible()
        assert find_violations(page) == []
    ann.keyboard.press("v")
    assert find_violations(ann) == []


def test_axe_finds_nothing_before_anybody_signs_in(
    department, open_page, find_violations
):
    for path in ("/sign-in", department.invite(department.align)):
        page = open_page(path, base=department.address)
        assert find_violations(page) == []


def test_a_project_is_made_by_keyboard_alone(department, open_page):
    page = department.open(open_page, "Lea", "/projects")
    page.locator("#title").focus()
    page.keyboard.type("By keyboard")
    for key in ("Tab", "Tab", "Enter"):  # past the task, which is to align
        page.keyboard.press(key)
    expect(page.locator("h1")).to_have_text("By keyboard")
    pairs = {"name": "pairs.tsv", "mimeType": "text/plain", "buffer": b"a b\tc d\n"}
    page.locator("#file").set_input_files(pairs)  # a window of the system's own
    page.get_by_role("button", name="Add").press("Enter")
    page.get_by_role("button", name="Assign 1 item", exact=True).press("Enter")
    page.get_by_role("link", name="Continue").press("Enter")
    page.wait_for_url("**/assignments/*")


def test_a_name_and_a_password_lead_to_the_page_that_was_wanted(department, open_page):
    path = f"/projects/{department.align}"
    page = open_page(f"/sign-in?next={path}", base=department.address)
    page.get_by_label("Name").fill("Ann")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**{path}")


def test_a_printed_project_shows_each_persons_role(department, open_page):
    page = department.open(open_page, "Lea", f"/projects/{department.done}")
    page.emulate_media(media="print")
    row = page.locator("tr", has_text="Jo").first
    expect(row.get_by_text("adjudicator").first).to_be_visible()
    expect(row.locator("select")).to_be_hidden()


SHIFTS = """
window.shifts = [];
const note = (list) => list.getEntries().forEach((e) => window.shifts.push(e.value));
new PerformanceObserver(note).observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_moves_when_the_figures_come(department, open_page, width):
    page = department.open(open_page, "Lea", width=width)
    page.add_init_script(SHIFTS)
    page.goto(f"/projects/{department.done}")
    expect(page.locator("#report table").first).to_be_visible()
    page.evaluate("() => new Promise(requestAnimationFrame)")
    assert page.evaluate("() => window.shifts.reduce((a, b) => a + b, 0)") < 0.05


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
