"""Who may ask for what: every route of the application, as everybody and as nobody.

The table says for each route who may use it. A route that is not in it fails the test,
and so does one that lets somebody in whom the table does not name.
"""

from collections import defaultdict

import pytest
from fastapi.routing import APIRoute

from paraphrast.web import accounts
from paraphrast.web.accounts import create_key
from paraphrast.web.database.tables import Account, Item, Project
from paraphrast.web.identity import PUBLIC
from studio_toy import (
    act,
    add_pairs,
    assign,
    create_project,
    find_work,
    open_studio,
)

ANYBODY = frozenset(("nobody", "Out", "Ann", "Bob", "Jo", "Lou", "Lea"))
ACCOUNT = ANYBODY - {"nobody"}  # Out is in no project
MEMBER = ACCOUNT - {"Out"}  # annotators Ann and Bob, adjudicator Jo, lead Lou
LEAD = frozenset(("Lou", "Lea"))  # Lea administers the server
ADMINISTRATOR = frozenset(("Lea",))
OWNER = frozenset(("Ann",))  # of the assignment and the key that are asked for

TABLE = {
    "GET /healthz": ANYBODY,
    "GET /readyz": ANYBODY,
    "GET /start": ANYBODY,
    "GET /sign-in": ANYBODY,
    "POST /sign-in": ANYBODY,
    "GET /invitations/{token}": ANYBODY,
    "POST /invitations/{token}": ANYBODY,
    "POST /theme": ANYBODY,
    "GET /": ACCOUNT,
    "POST /sign-out": ACCOUNT,
    "GET /account": ACCOUNT,
    "POST /account/password": ACCOUNT,
    "POST /account/keys": ACCOUNT,
    "POST /account/keys/{key_id}/revoke": OWNER,
    "GET /people": ADMINISTRATOR,
    "POST /people/invitations": ADMINISTRATOR,
    "POST /people/{account_id}/active": ADMINISTRATOR,
    "POST /people/{account_id}/password": ADMINISTRATOR,
    "GET /align": ACCOUNT,
    "GET /judge": ACCOUNT,
    "GET /projects": ACCOUNT,
    "POST /projects": ADMINISTRATOR,
    "POST /projects/import": ADMINISTRATOR,
    "GET /projects/{project_id}": MEMBER,
    "GET /projects/{project_id}/work": MEMBER,
    "GET /projects/{project_id}/results": LEAD,
    "GET /projects/{project_id}/export": LEAD,
    "POST /projects/{project_id}/settings": LEAD,
    "POST /projects/{project_id}/archive": LEAD,
    "POST /projects/{project_id}/assign": LEAD,
    "POST /projects/{project_id}/invitations": LEAD,
    "POST /projects/{project_id}/members/{account_id}": LEAD,
    "POST /projects/{project_id}/pairs": LEAD,
    "POST /projects/{project_id}/outputs": LEAD,
    "GET /assignments/{assignment_id}": OWNER | LEAD,
    "GET /assignments/{assignment_id}/state": OWNER | LEAD,
    "POST /assignments/{assignment_id}/events": OWNER,
}
# All of these are for whoever has an account, by a session or by a key.
FOR_ACCOUNTS = ("/v1/", "/v2/", "/rewrite", "/compare")
# These tell nothing of anybody: clients ask for them before they sign in.
FOR_ANYBODY = ("/v2/languages", "/v2/healthcheck", "/metrics")
BODIES = {
    "POST /assignments/{assignment_id}/events": {
        "json": {"key": "k", "kind": "accept", "content": {}}
    },
    "POST /projects/{project_id}/pairs": {"files": {"file": ("a.tsv", b"a\tb\n")}},
    "POST /projects/{project_id}/outputs": {"files": {"files": ("a.csv", b"item\n")}},
    "POST /projects/import": {"files": {"file": ("a.zip", b"PK")}},
    "POST /rewrite/documents": {"files": {"file": ("a.txt", b"PK")}},
    "POST /theme": {"data": {"theme": "dark"}},
}


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    with (
        pytest.MonkeyPatch.context() as patch,
        open_studio(tmp_path_factory.mktemp("studio"), compat=True) as studio,
    ):
        patch.setattr(accounts, "is_stale", lambda seen: False)
        project = create_project(studio)
        studio.add("Out")
        studio.add("Spare", project=project, role="annotator")
        for name, role in (
            *(("Ann", "annotator"), ("Bob", "annotator")),
            *(("Jo", "adjudicator"), ("Lou", "lead")),
        ):
            studio.add(name, project=project, role=role)
        add_pairs(studio, project)
        settings = {"people": "3"}
        studio.browser("Lea").post(f"/projects/{project}/settings", data=settings)
        assign(studio, project)
        ann = studio.id_of("Ann")
        with studio.database.write() as session:
            key, _ = create_key(session, session.get(Account, ann), "own")
            number = key.id
        studio.parameters = defaultdict(lambda: "unknown") | {
            "project_id": project,
            "assignment_id": find_work(studio, "Ann", project),
            "account_id": studio.id_of("Spare"),
            "key_id": number,
        }
        yield studio


def walk(routes):
    for route in routes:
        if isinstance(route, APIRoute):
            for method in route.methods:
                yield f"{method} {route.path}"
        elif router := getattr(route, "original_router", None):
            yield from walk(router.routes)


def is_refused(answer):
    to_sign_in = answer.headers.get("location", "").startswith("/sign-in?")
    return to_sign_in or answer.status_code in (401, 403, 404)


def ask(studio, route, name):
    method, path = route.split(" ", 1)
    browser = studio.browser("" if name == "nobody" else name)
    return browser.request(
        method, path.format_map(studio.parameters), **BODIES.get(route, {})
    )


def test_every_route_is_in_the_table(studio):
    routes = set(walk(studio.app.routes))
    listed = {
        route
        for route in routes
        if not route.split()[1].startswith((*FOR_ACCOUNTS, *FOR_ANYBODY))
    }
    assert listed == TABLE.keys()
    assert {route.split()[1] for route in routes} >= PUBLIC
    assert any("/v1/rewrite" in route for route in routes)


@pytest.mark.parametrize("route", TABLE)
def test_a_route_is_open_to_those_in_the_table_and_to_nobody_else(studio, route):
    for name in sorted(ANYBODY):
        answer = ask(studio, route, name)
        if TABLE[route] == ANYBODY:
            assert not answer.headers.get("location", "").startswith("/sign-in?")
            assert answer.status_code != 401 or route == "POST /sign-in"
        else:
            assert is_refused(answer) == (name not in TABLE[route]), (name, answer)
        assert answer.status_code != 500, answer.text
    studio.browsers.clear()  # some signed out


def test_routes_for_accounts_refuse_the_anonymous(studio):
    for route in sorted(walk(studio.app.routes)):
        path = route.split()[1]
        if path.startswith(FOR_ACCOUNTS) and not path.startswith(FOR_ANYBODY):
            assert is_refused(ask(studio, route, "nobody")), route
            answer = ask(studio, route, "Out")
            assert answer.status_code not in (401, 403), (route, answer)
            assert answer.status_code != 500, (route, answer)


def test_somebody_who_left_is_an_outsider(studio):
    project, number = (studio.parameters[k] for k in ("project_id", "assignment_id"))
    studio.add("Gone", project=project, role="annotator")
    path = f"/projects/{project}"
    assert studio.browser("Gone").get(path).status_code == 200
    gone = studio.id_of("Gone")
    studio.browser("Lea").post(f"{path}/members/{gone}", data={"role": ""})
    assert studio.browser("Gone").get(path).status_code == 404
    assert studio.browser("Gone").get(f"/assignments/{number}").status_code == 404


def test_missing_and_forbidden_objects_look_the_same(studio):
    other = create_project(studio, title="Other")
    texts = {
        studio.browser("Ann").get(f"/projects/{number}").text
        for number in (other, 10**6)
    }
    assert len(texts) == 1


def test_another_site_cannot_act_for_somebody(studio):
    number = studio.parameters["assignment_id"]
    body = BODIES["POST /assignments/{assignment_id}/events"]["json"]
    for headers in (
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.test"},
    ):
        answer = studio.browser("Ann").post(
            f"/assignments/{number}/events", json=body, headers=headers
        )
        assert answer.status_code == 403


def test_scripts_in_texts_are_escaped_on_every_page(studio):
    script = "<script>alert(1)</script>"
    lea = studio.browser("Lea")
    project = create_project(studio, title=f"{script} title")
    base = f"/projects/{project}"
    words = script.replace(" ", "_")
    add_pairs(studio, project, f"{words}\t{words}\tN/A\t{words}\tN/A\t1\t1\t\t\n")
    lea.post(f"{base}/settings", data={"guideline": f"{script} guideline"})
    lea.post(f"{base}/invitations", data={"role": "lead", "note": f"{script} note"})
    lea.post("/account/keys", data={"label": f"{script} key"})
    studio.add(f"{script} name", project=project, role="annotator")
    assign(studio, project)
    name = f"{script} name"
    number = find_work(studio, name, project)
    act(studio, name, number, "comment", text=f"{script} comment")
    act(studio, name, number, "done")
    paths = ("/projects", base, f"{base}/results", "/account", "/people", "/align")
    pages = [lea.get(path).text for path in paths]
    pages.append(studio.browser(name).get(f"/assignments/{number}").text)
    judging = create_project(studio, "xu12", title="judging")
    table = f"item,system,target,source,output\n{script},{script},x,{script},{script}\n"
    lea.post(f"/projects/{judging}/outputs", files={"files": ("a.csv", table.encode())})
    assign(studio, judging)
    act(studio, "Lea", find_work(studio, "Lea", judging), "comment", text=script)
    pages.append(lea.get(f"/projects/{judging}").text)
    pages.append(lea.get(f"/assignments/{find_work(studio, 'Lea', judging)}").text)
    files = {"file": (f"{script}.docx", b"PK")}
    fields = {"text": script, "style": "formal", "rewriter": "rules", "keep": script}
    pages.append(lea.post("/rewrite", data=fields).text)
    pages.append(lea.post("/rewrite/documents", data=fields, files=files).text)
    pages.append(studio.browser().post("/sign-in", data={"name": script}).text)
    pages.append(lea.post("/projects", data={"title": script, "kind": script}).text)
    for page in pages:
        assert "<script>alert" not in page
        assert "alert(1)" in page or page in pages[:6]
    assert all("alert(1)" in page for page in pages[:2])


def test_a_project_of_many_items_opens(studio):
    project = create_project(studio, title="Large")
    with studio.database.write() as session:
        session.bulk_save_objects(
            Item(
                project_id=project,
                number=number,
                name=str(number),
                content={"source": ["a"], "target": ["b"], "links": []},
            )
            for number in range(1, 20_001)
        )
    assign(studio, project)
    page = studio.browser("Lea").get(f"/projects/{project}").text
    assert "20,000" in page
    number = find_work(studio, "Lea", project)
    assert studio.browser("Lea").get(f"/assignments/{number}").status_code == 200
    with studio.database.read() as session:
        assert session.get(Project, project).title == "Large"


def test_pages_cannot_be_framed(studio):
    headers = studio.browser("Ann").get("/projects").headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"
