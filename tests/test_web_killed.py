"""Nothing that was acknowledged is lost when the server is killed in the middle.

Four annotators work while the server gets SIGKILL at random moments and is started
again; they send again what was not answered, as the page does.
"""

import random
import signal
import socket
import subprocess
import sys
import threading
import time

import httpx
import pytest
from sqlalchemy import select

from paraphrast.web import accounts, projects
from paraphrast.web.annotation.log import rebuild
from paraphrast.web.authorisation import Person
from paraphrast.web.database import open_database
from paraphrast.web.database.tables import (
    Annotation,
    Assignment,
    Event,
    Item,
    Member,
)
from paraphrast.web.identity import COOKIE

PEOPLE = 4
WORDS = 6
SECRET = 20 * "s"
SERVER = f"""
import sys, uvicorn
from pathlib import Path
from paraphrast.web.app import create_app
from paraphrast.web.settings import Settings
url, port, folder = sys.argv[1:]
settings = Settings(database=url, data=Path(folder), accounts=True, secret={SECRET!r})
app = create_app(settings)
app.state.service.start = lambda: None  # it rewrites nothing here
uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="error")
"""


@pytest.fixture
def prepared(url, quick_passwords):
    """Make a project for four annotators; return their assignments and cookies."""
    database = open_database(url)
    with database.write() as session:
        people = [
            accounts.create_account(session, f"annotator {k}", "a long password")
            for k in range(PEOPLE)
        ]
        lead = Person(people[0].id, people[0].name)
        project = projects.create_project(session, lead, title="Killed")
        session.flush()
        for account in people[1:]:
            session.add(
                Member(project_id=project.id, account_id=account.id, role="annotator")
            )
        session.get_one(Member, (project.id, people[0].id)).role = "annotator"
        words = [f"w{k}" for k in range(WORDS)]
        content = {"source": words, "target": words, "links": []}
        projects.add_items(session, project, [Item(name="a", content=content)])
        projects.change_settings(project, people=PEOPLE)
        projects.assign(session, project)
        tokens = {
            account.id: accounts.sign_in(session, account, secret=SECRET)
            for account in people
        }
        work = [
            (row.id, tokens[row.account_id])
            for row in session.scalars(select(Assignment))
        ]
    yield work
    database.close()


class Annotator(threading.Thread):
    """Works until told to stop, and notes which events were acknowledged."""

    def __init__(self, address, number, token, seed):
        super().__init__()
        self.client = httpx.Client(
            base_url=address, cookies={COOKIE: token}, timeout=30
        )
        self.address, self.number = f"/assignments/{number}/events", number
        self.draw = random.Random(seed)
        self.acknowledged = []
        self.sent_again = 0
        self.stopped = threading.Event()
        self.complaints = []

    def run(self):
        count = 0
        while not self.stopped.is_set():
            count += 1
            self.send({"key": f"{self.number}-{count}", **self.choose()})

    def choose(self):
        cells = [[self.draw.randrange(WORDS), self.draw.randrange(WORDS)]]
        return self.draw.choice(
            [
                {"kind": "link", "content": {"cells": cells, "label": "sure"}},
                {"kind": "link", "content": {"cells": cells, "label": "possible"}},
                {"kind": "clear", "content": {"cells": cells}},
                {"kind": "undo", "content": {}},
            ]
        )

    def send(self, event):
        while not self.stopped.is_set():
            try:
                answer = self.client.post(self.address, json=event)
            except httpx.HTTPError:
                self.sent_again += 1
                time.sleep(0.02)
                continue
            if answer.status_code == 200:
                self.acknowledged.append(event["key"])
            elif answer.status_code != 400:  # there may be nothing to undo
                self.complaints.append(answer.text)
            return


def start(url, port, folder):
    server = subprocess.Popen([sys.executable, "-c", SERVER, url, str(port), folder])
    while server.poll() is None:
        try:
            httpx.get(f"http://127.0.0.1:{port}/healthz")
        except httpx.HTTPError:
            time.sleep(0.05)
        else:
            return server
    raise RuntimeError("the server ended by itself")


def work_and_kill(url, folder, prepared, *, kills):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    annotators = [Annotator(address, *work, seed) for seed, work in enumerate(prepared)]
    draw = random.Random(16)
    server = start(url, port, folder)
    for annotator in annotators:
        annotator.start()
    try:
        for _ in range(kills):
            before = sum(len(annotator.acknowledged) for annotator in annotators)
            wanted = before + draw.randrange(5, 60)
            while sum(len(a.acknowledged) for a in annotators) < wanted:
                time.sleep(0.005)
            time.sleep(draw.random() / 20)
            server.send_signal(signal.SIGKILL)
            server.wait()
            server = start(url, port, folder)
    finally:
        for annotator in annotators:
            annotator.stopped.set()
        for annotator in annotators:
            annotator.join()
        server.kill()
        server.wait()
    return annotators


def check(url, annotators):
    database = open_database(url)
    with database.write() as session:
        for annotator in annotators:
            assert annotator.complaints == []
            rows = session.execute(
                select(Event.key, Event.number)
                .where(Event.assignment_id == annotator.number)
                .order_by(Event.number)
            ).all()
            keys = [row.key for row in rows]
            assert set(annotator.acknowledged) <= set(keys)
            assert len(keys) == len(set(keys))
            assert [row.number for row in rows] == [*range(1, len(rows) + 1)]
            kept = session.get_one(Annotation, annotator.number).state
            assignment = session.get_one(Assignment, annotator.number)
            assert rebuild(session, assignment) == kept
    database.close()


def test_a_kill_loses_nothing_that_was_acknowledged(url, tmp_path, prepared):
    annotators = work_and_kill(url, tmp_path, prepared, kills=1)
    assert sum(annotator.sent_again for annotator in annotators)
    check(url, annotators)


@pytest.mark.slow
def test_twenty_kills_lose_nothing_that_was_acknowledged(url, tmp_path, prepared):
    check(url, work_and_kill(url, tmp_path, prepared, kills=20))
