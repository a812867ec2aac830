"""The Rewrite page in a browser: by mouse, by keyboard alone, and when things fail."""

import pytest
from playwright.sync_api import expect

from tests import docx_toy

TEXT = "gonna be late, soz. u ok?\n\ncan't wait, it's gonna rock!"
FORMAL = "Going to be late, sorry. You ok?\n\nCannot wait, it is going to rock!"


@pytest.fixture
def page(open_page):
    """Return the page with a text and the rules, which need no model."""
    page = open_page("/rewrite")
    page.fill("#text", TEXT)
    page.select_option("#rewriter", "rules")
    return page


def rewrite(page):
    page.click("#go")
    expect(page.locator("#go")).to_be_enabled()
    page.wait_for_selector("#commands pre")
    page.wait_for_selector("#ask:not([aria-busy])")


def whole(page):
    return page.locator("#whole").text_content()


def test_a_text_comes_back_sentence_by_sentence(page):
    rewrite(page)
    rows = page.locator(".sentence")
    assert rows.count() == 3
    assert whole(page) == FORMAL
    expect(page.locator("#summary")).to_have_text("3 of 3 sentences changed")
    first = rows.first.locator("[data-number='1']")
    assert first.locator("del").all_inner_texts()[0] == "gonna"
    assert "Going to" in first.locator("ins").all_inner_texts()[0]
    assert first.locator("meter").count() == 3


def test_single_changes_are_rejected_and_taken_back_by_mouse(page):
    rewrite(page)
    change = page.locator("#s0 [data-number='1'] ins").first
    change.click()
    assert whole(page).startswith("gonna be late, sorry.")
    change.click()
    assert whole(page) == FORMAL


def test_the_page_works_by_keyboard_alone(page):
    page.locator("#go").press("Enter")
    page.wait_for_selector("#commands pre")
    page.wait_for_selector("#ask:not([aria-busy])")
    for key in ("j", "j", "k", "0"):
        page.keyboard.press(key)
    assert whole(page).startswith("gonna be late, soz. You ok?")
    for key in ("1", "ArrowRight", "Space"):
        page.keyboard.press(key)
    assert whole(page).startswith("gonna be late, sorry. You ok?")
    page.keyboard.press("w")
    assert page.locator("#s0 [data-number='1'] details").get_attribute("open") == ""


def test_a_locked_word_stays(page):
    rewrite(page)
    page.locator("#s0 [data-number='1'] del").first.dblclick()
    expect(page.locator("#keep")).to_have_value("gonna")
    page.wait_for_selector("#ask:not([aria-busy])")
    assert "gonna be late, sorry. You ok?" in whole(page)
    command = page.locator("#commands pre").first
    expect(command).to_contain_text("--protect gonna")
    expect(command).to_contain_text("u ok?")


def test_the_result_is_downloaded_as_shown(page):
    rewrite(page)
    page.locator("#s0").press("0")
    with page.expect_download() as started:
        page.click("#download")
    assert started.value.suggested_filename == "formal.txt"
    assert started.value.path().read_text("utf-8") == whole(page)


def test_a_mistake_is_reported_in_place_and_the_text_stays(page):
    page.fill("#text", "   ")
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("There is no text yet")
    page.fill("#text", TEXT)
    page.select_option("#style", "bible")
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("does not write 'bible'")
    expect(page.locator("#text")).to_have_value(TEXT)


def test_without_the_server_the_text_stays(page):
    page.context.set_offline(True)
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("server cannot be reached")
    page.context.set_offline(False)
    rewrite(page)
    assert whole(page) == FORMAL


def drop(page, content, name):
    page.evaluate(
        """([content, name]) => {
            const data = new DataTransfer();
            data.items.add(new File([content], name));
            const event = new DragEvent("drop", {dataTransfer: data, bubbles: true});
            document.getElementById("text").dispatchEvent(event);
        }""",
        [content, name],
    )


def test_a_dropped_file_becomes_the_text(page):
    drop(page, "# Hi\n\nu ok?", "note.md")
    expect(page.locator("#text")).to_have_value("# Hi\n\nu ok?")
    rewrite(page)
    assert whole(page) == "# Hi\n\nYou ok?"


def test_a_document_is_downloaded_with_its_shape_and_nothing_stays_behind(page):
    letter = docx_toy.make(
        docx_toy.paragraph(docx_toy.run("I'm "), docx_toy.run("gonna", "<w:b/>"))
    )
    page.set_input_files(
        "#file", {"name": "note.docx", "mimeType": "", "buffer": letter}
    )
    expect(page.locator("#tracked")).to_be_visible()
    page.click("#go")
    expect(page.locator("#job-state")).to_contain_text("Done")
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        with page.expect_download() as started:
            page.click("#fetch")
    assert started.value.suggested_filename == "note-formal.docx"
    written = docx_toy.part(started.value.path().read_bytes())
    assert docx_toy.texts(written) == ["I am going to."]
    assert page.request.get("/v1/jobs").json() == {"jobs": []}
    expect(page.locator("#text")).to_have_value(TEXT)
    page.click("#no-file")
    rewrite(page)
    assert whole(page) == FORMAL


def test_a_document_is_still_followed_after_a_reload(page):
    drop(page, "<p>u ok?</p>", "note.html")
    page.locator("#go").press("Enter")
    page.wait_for_selector("#job")
    page.reload()
    expect(page.locator("#job-state")).to_contain_text("Done")
    with page.expect_download() as started:
        page.locator("#fetch").press("Enter")
    assert started.value.path().read_text("utf-8") == "<p>You ok?</p>"


@pytest.mark.parametrize(
    ("name", "said"), [("note.docx", "note.docx"), ("note.pdf", "Choose one of")]
)
def test_a_bad_document_is_one_sentence_and_the_text_stays(page, name, said):
    drop(page, "PK", name)
    if name == "note.docx":
        page.click("#go")
    expect(page.locator("#problem")).to_contain_text(said)
    expect(page.locator("#job")).to_have_count(0)
    expect(page.locator("#text")).to_have_value(TEXT)


def test_the_form_works_without_scripts(open_page):
    page = open_page("/rewrite", java_script_enabled=False)
    page.fill("#text", TEXT)
    page.select_option("#rewriter", "rules")
    page.click("#go")
    expect(page.locator(".sentence")).to_have_count(3)
    page.locator("#s0 .numbers label").last.click()
    expect(page.locator("#s0 [data-number='0']")).to_be_visible()
    assert page.locator("#text").input_value() == TEXT


def test_axe_finds_nothing_in_the_result(open_page, find_violations):
    page = open_page("/rewrite")
    page.select_option("#rewriter", "rules")
    rewrite(page)
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    assert find_violations(page) == []


def test_text_is_never_markup(page):
    page.fill("#text", "u <img src=x onerror=alert(1)> ok?")
    rewrite(page)
    assert page.locator("#rows img").count() == 0
    assert "<img src=x" in whole(page)
