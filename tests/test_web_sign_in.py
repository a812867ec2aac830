"""Coming in, staying in, and being shut out: sessions, invitations, keys, guessing."""

import os
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar

import pytest
from starlette.testclient import TestClient

from paraphrast.web import accounts, guessing
from paraphrast.web.app import create_app
from paraphrast.web.database.tables import SignIn
from paraphrast.web.identity import COOKIE
from paraphrast.web.settings import Limits, Settings
from studio_toy import HOST, PASSWORD, create_project, open_studio

PAGE = {"accept": "text/html"}


@pytest.fixture
def studio(tmp_path):
    with open_studio(tmp_path) as studio:
        yield studio


def sign_in(client, name="Lea", password=PASSWORD, **form):
    return client.post("/sign-in", data={"name": name, "password": password} | form)


def test_anonymous_visitors_are_sent_to_sign_in_and_back(studio):
    client = studio.browser()
    answer = client.get("/projects?a=b")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sign-in?next=/projects%3Fa%3Db"
    assert "/projects?a=b" in client.get(answer.headers["location"]).text
    answer = sign_in(client, next="/projects?a=b")
    assert answer.headers["location"] == "/projects?a=b"
    assert client.get("/projects").status_code == 200


@pytest.mark.parametrize(
    "target", ["https://evil.test", "//evil.test", "/\\evil.test", "", "/a\r\nb"]
)
def test_signing_in_never_redirects_to_another_site(studio, target):
    answer = sign_in(studio.browser(), next=target)
    assert answer.headers["location"] == "/projects"


def test_a_wrong_password_keeps_what_was_typed_and_tells_nothing(studio):
    answers = [
        sign_in(studio.browser(), name, "wrong password") for name in ("Lea", "Bob")
    ]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert 'value="Lea"' in answers[0].text
    assert answers[0].text.replace("Lea", "Bob") == answers[1].text


def test_guessing_is_stopped_even_when_the_guess_is_right_at_last(studio):
    for _ in range(guessing.PER_NAME_AND_ADDRESS):
        assert sign_in(studio.browser(), password="guess").status_code == 401
    answer = sign_in(studio.browser())
    assert answer.status_code == 429
    assert answer.headers["retry-after"]
    assert 'value="Lea"' in answer.text
    program = {"accept": "application/json"}
    form = {"name": "Lea", "password": PASSWORD}
    answer = studio.browser().post("/sign-in", data=form, headers=program)
    assert answer.json()["status"] == 429


def test_the_cookie_is_http_only_and_new_at_every_sign_in(studio):
    def come_with(token):
        cookies = {COOKIE: token}
        return TestClient(
            studio.app,
            base_url=HOST,
            cookies=cookies,
            follow_redirects=False,
            headers=PAGE,
        )

    answer = sign_in(come_with("chosen-by-somebody-else"))
    for flag in ("HttpOnly", "SameSite=lax", "Secure"):
        assert flag in answer.headers["set-cookie"]
    first = answer.cookies[COOKIE]
    assert first != "chosen-by-somebody-else"
    assert come_with(first).get("/projects").status_code == 200
    second = sign_in(come_with(first)).cookies[COOKIE]
    assert second != first
    assert come_with(first).get("/projects").status_code == 303  # it has ended


def test_signing_out_ends_the_session_on_the_server(studio):
    client = studio.browser("Lea")
    token = client.cookies[COOKIE]
    client.post("/sign-out")
    client.cookies.set(COOKIE, token)
    assert client.get("/projects").status_code == 303


def test_a_script_request_gets_no_sign_in_page(studio):
    client = studio.browser()
    json = {"accept": "application/json"}
    form = {"name": "Lea", "password": "wrong password"}
    assert client.post("/sign-in", data=form, headers=json).status_code == 401
    form["password"] = PASSWORD
    assert client.post("/sign-in", data=form, headers=json).status_code == 204


def test_using_a_session_keeps_it_alive(studio, monkeypatch):
    client = studio.browser("Lea")
    clock = [accounts.now()]
    monkeypatch.setattr(accounts, "now", lambda: clock[0])
    for _ in range(3):
        clock[0] += accounts.IDLE - 10_000
        assert client.get("/projects").status_code == 200
    clock[0] += accounts.IDLE + 1
    assert client.get("/projects").status_code == 303


def test_an_invitation_makes_an_account_and_a_member(studio):
    project = create_project(studio)
    page = studio.browser("Lea").post(
        f"/projects/{project}/invitations", data={"role": "annotator"}
    )
    link = page.text.partition(f"{HOST}/invitations/")[2].partition("<")[0]
    client = studio.browser()
    assert "Pairs" in client.get(f"/invitations/{link}").text
    bad = client.post(f"/invitations/{link}", data={"name": "Ann", "password": "x"})
    assert bad.status_code == 400
    assert 'value="Ann"' in bad.text
    good = client.post(
        f"/invitations/{link}", data={"name": "Ann", "password": PASSWORD}
    )
    assert good.headers["location"] == f"/projects/{project}"
    assert "annotator" in client.get(f"/projects/{project}").text
    assert studio.browser("Lea").get(f"/invitations/{link}").status_code == 404


def test_somebody_with_an_account_accepts_with_one_click(studio):
    project = create_project(studio)
    studio.add("Ann")
    with studio.database.write() as session:
        from paraphrast.web.database.tables import Project

        found = session.get(Project, project)
        _, token = accounts.invite(session, found, "adjudicator")
    client = studio.browser("Ann")
    assert "password" not in client.get(f"/invitations/{token}").text.lower()
    assert client.post(f"/invitations/{token}").status_code == 303
    assert "adjudicator" in client.get(f"/projects/{project}").text


def test_each_key_has_a_limit_of_its_own_and_so_has_the_account(tmp_path):
    limits = Limits(requests_per_minute=2)
    with open_studio(tmp_path / "limited", limits=limits) as studio:
        studio.add("Ann")
        with studio.database.write() as session:
            account = accounts.find_account(session, "Ann")
            keys = [accounts.create_key(session, account, "")[1] for _ in range(2)]
        program = studio.browser()

        def ask(key):
            bearer = {"Authorization": f"Bearer {key}"}
            return program.get("/v1/styles", headers=bearer).status_code

        assert [ask(keys[0]) for _ in range(3)] == [200, 200, 429]
        assert [ask(keys[1]) for _ in range(3)] == [200, 200, 429]
        page = studio.browser("Ann")
        asked = [page.get("/v1/styles").status_code for _ in range(3)]
        assert asked == [200, 200, 429]


def test_a_key_opens_the_interface_and_is_shown_once(studio):
    client = studio.browser("Lea")
    page = client.post("/account/keys", data={"label": "laptop"})
    key = (
        accounts.KEY_PREFIX
        + page.text.partition(f">{accounts.KEY_PREFIX}")[2].partition("<")[0]
    )
    assert key not in client.get("/account").text
    program = TestClient(studio.app, base_url=HOST)
    bearer = {"Authorization": f"Bearer {key}"}
    assert program.get("/v1/styles").status_code == 401
    assert program.get("/v1/styles", headers=bearer).status_code == 200
    client.post("/account/keys/1/revoke")
    assert program.get("/v1/styles", headers=bearer).status_code == 401


def test_a_new_password_ends_other_sessions_but_not_this(studio):
    here = studio.browser("Lea")
    there = TestClient(studio.app, base_url=HOST, follow_redirects=False, headers=PAGE)
    sign_in(there)
    wrong = here.post("/account/password", data={"old": "wrong", "new": PASSWORD})
    assert wrong.status_code == 400
    new = "another good password"
    here.post("/account/password", data={"old": PASSWORD, "new": new})
    assert here.get("/account").status_code == 200
    assert there.get("/account").status_code == 303
    assert sign_in(there, password=new).status_code == 303


def test_deactivating_an_account_takes_effect_at_once(studio):
    studio.add("Ann")
    ann = studio.browser("Ann")
    assert ann.get("/projects").status_code == 200
    number = studio.id_of("Ann")
    studio.browser("Lea").post(f"/people/{number}/active", data={})
    assert ann.get("/projects").status_code == 303
    studio.browser("Lea").post(f"/people/{number}/active", data={"active": "true"})
    assert ann.get("/projects").status_code == 200


def test_an_administrator_resets_a_forgotten_password(studio):
    studio.add("Ann")
    ann = studio.browser("Ann")
    number = studio.id_of("Ann")
    page = studio.browser("Lea").post(f"/people/{number}/password").text
    new = page.partition('<code class="text">')[2].partition("<")[0]
    assert ann.get("/projects").status_code == 303
    assert sign_in(studio.browser(), "Ann").status_code == 401
    assert sign_in(studio.browser(), "Ann", new).status_code == 303


def test_the_studios_link_works_once(tmp_path, quick_passwords):
    settings = Settings(data=tmp_path, start_token="once-and-no-more")
    app = create_app(settings)
    client = TestClient(
        app, base_url="http://127.0.0.1", follow_redirects=False, headers=PAGE
    )
    assert client.get("/projects").status_code == 303
    assert client.get("/start?token=wrong").status_code == 403
    assert client.get("/start?token=once-and-no-more").status_code == 303
    assert client.get("/projects").status_code == 200
    other = TestClient(app, base_url="http://127.0.0.1", headers=PAGE)
    assert other.get("/start?token=once-and-no-more").status_code == 403
    assert other.get("/v1/styles").status_code == 200  # nothing private is there
    app.state.database.close()


def test_times_are_noted_at_most_once_a_minute(studio):
    client = studio.browser("Lea")
    client.get("/projects")
    with studio.database.read() as session:
        first = session.get(SignIn, 1).seen
    client.get("/projects")
    with studio.database.read() as session:
        assert session.get(SignIn, 1).seen == first


def test_a_server_without_accounts_offers_the_first_one_once(tmp_path):
    command = [sys.executable, "-m", "paraphrast", "serve", "--accounts"]
    options = ["--port", "0", "--data", tmp_path]
    environment = os.environ | {"PARAPHRAST_SECRET": "a secret of the server"}
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, text=True, env=environment
    ) as server:
        try:
            address = server.stdout.readline().split()[-1]
            link = server.stdout.readline().split()[-1]
            form = urllib.parse.urlencode({"name": "Ada", "password": PASSWORD})
            browser = urllib.request.build_opener(
                urllib.request.HTTPCookieProcessor(CookieJar())
            )
            browser.addheaders = [("Accept", "text/html")]
            with browser.open(link, form.encode()) as page:
                assert "New project" in page.read().decode()
            with pytest.raises(urllib.error.HTTPError, match="404"):
                browser.open(link)
            assert link.startswith(address)
        finally:
            server.terminate()
