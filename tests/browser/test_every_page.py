"""What holds of every page: axe-core finds nothing, nothing overflows, colours stay."""

import pytest

PAGES = ["/rewrite", "/compare"]


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(open_page, find_violations, path):
    page = open_page(path)
    assert find_violations(page) == []


@pytest.mark.parametrize("width", [400, 3840])
@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_wider_than_the_window(open_page, path, width):
    page = open_page(path, width=width)
    size = "() => document.documentElement.scrollWidth - window.innerWidth"
    assert page.evaluate(size) <= 0


def test_the_colours_stay_on_the_next_page(open_page):
    page = open_page("/rewrite")
    with page.expect_response("**/theme"):
        page.locator(".themes label").last.click()
    scheme = "() => getComputedStyle(document.documentElement).colorScheme"
    assert page.evaluate(scheme) == "dark"
    page.reload()
    assert page.evaluate(scheme) == "dark"


def test_a_missing_page_says_so(open_page, find_violations):
    page = open_page("/nowhere")
    assert page.locator("h1").inner_text() == "Not Found"
    assert find_violations(page) == []


def test_the_navigation_fits_one_line_of_a_telephone(open_page):
    page = open_page("/projects", width=400)
    tops = "all => new Set(all.map(one => one.getBoundingClientRect().top)).size"
    assert page.locator(".bar nav a").evaluate_all(tops) == 1
