"""A server with accounts for browser tests, and what is prepared on it."""

from paraphrast.web import accounts, exchange, projects
from paraphrast.web.annotation.log import add_event
from paraphrast.web.authorisation import Person
from paraphrast.web.database import open_database
from paraphrast.web.database.tables import Assignment, Member, Project, SignIn
from paraphrast.web.identity import COOKIE
from paraphrast.web.protocols import find_protocol
from paraphrast.web.settings import Settings

PASSWORD = "correct horse battery"
SECRET = "a secret of the server"
PAIRS = (
    ("I'm gonna be late tomorrow .", "I am going to be late tomorrow ."),
    ("the cat sat", "the cat was sitting"),
)
SYSTEMS = ("alpha", "beta")


class Department:
    """A server, its database, and its people; Lea leads."""

    def __init__(self, serve, folder):
        settings = Settings(data=folder, accounts=True, secret=SECRET)
        self.address = serve(settings).address
        self.database = open_database(settings.database_url)
        with self.database.write() as session:
            lea = accounts.create_account(session, "Lea", PASSWORD, administrator=True)
            self.lea = Person(lea.id, "Lea", administrator=True)

    def create_project(self, title, roles, kind="align", **settings):
        """Make a project with its people and items, dealt out."""
        with self.database.write() as session:
            protocol = None if kind == "align" else find_protocol(kind)
            project = projects.create_project(
                session, self.lea, title=title, protocol=protocol
            )
            for name, role in roles.items():
                account = accounts.find_account(session, name)
                account = account or accounts.create_account(session, name, PASSWORD)
                session.add(
                    Member(project_id=project.id, account_id=account.id, role=role)
                )
            session.flush()
            projects.add_items(session, project, self._make_items(project))
            projects.change_settings(project, **settings)
            projects.assign(session, project)
            return project.id

    def _make_items(self, project):
        if project.kind == "align":
            pairs = [
                exchange.AlignedPair(tuple(a.split()), tuple(b.split()), (), str(k))
                for k, (a, b) in enumerate(PAIRS, start=1)
            ]
            return exchange.make_pair_items(pairs)
        outputs = [
            exchange.sheets.Output(
                number, f"text {number % 2}", "", "formal", source, output, (system,)
            )
            for number, (system, (source, output)) in enumerate(
                ((system, pair) for system in SYSTEMS for pair in PAIRS), start=1
            )
        ]
        outputs = [
            exchange.replace(o, output=f"{o.output} {o.systems[0][0]}") for o in outputs
        ]
        items, systems = exchange.make_judging_items(
            outputs, at_once=project.settings["questions"]["outputs"]
        )
        project.settings = dict(project.settings) | {"systems": systems}
        return items

    def finish(self, project, name, label):
        """Link the first words of every pair of somebody's, and be done."""
        with self.database.write() as session:
            account = accounts.find_account(session, name)
            rows = session.query(Assignment).join(Assignment.item)
            link = {"cells": [[0, 0]], "label": label}
            for work in rows.filter_by(project_id=project):
                if work.account_id == account.id:
                    add_event(session, work, key="1", kind="link", content=link)
                    session.flush()
                    add_event(session, work, key="2", kind="done", content={})

    def invite(self, project):
        """Return the path of a link that makes somebody an annotator."""
        with self.database.write() as session:
            row = session.get(Project, project)
            return f"/invitations/{accounts.invite(session, row, 'annotator')[1]}"

    def open(self, open_page, name, path="/projects", **options):
        """Open a page as somebody who has signed in."""
        page = open_page(base=self.address, **options)
        with self.database.write() as session:
            account = accounts.find_account(session, name)
            token = accounts.sign_in(session, account, secret=SECRET)
        page.context.add_cookies(
            [{"name": COOKIE, "value": token, "url": self.address}]
        )
        page.goto(path)
        return page

    def end_sessions(self):
        """End everybody's session, as time does."""
        with self.database.write() as session:
            for opened in session.query(SignIn):
                opened.revoked = accounts.now()
