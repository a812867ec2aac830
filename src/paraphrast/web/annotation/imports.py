"""Imports into a project: alignments made elsewhere, outputs to judge."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from paraphrast.align.base import AlignedPair
from paraphrast.errors import ParaphrastError
from paraphrast.study import sheets
from paraphrast.web.annotation import alignment
from paraphrast.web.annotation.log import add_event, begin_with
from paraphrast.web.database.tables import Assignment, Item, Member, Project
from paraphrast.web.exchange import Known, make_judging_items, make_pair_items
from paraphrast.web.projects import add_items


def add_annotations(
    session: Session, project: Project, account_id: int, pairs: Sequence[AlignedPair]
) -> None:
    """Add pairs as somebody's finished alignments; pairs new to the project join it."""
    if session.get(Member, (project.id, account_id)) is None:
        raise ParaphrastError("the chosen annotator is not in the project.")
    items = {
        item.name: item
        for item in session.scalars(select(Item).where(Item.project_id == project.id))
    }
    bare = [AlignedPair(p.source, p.target, (), p.name) for p in pairs]
    new = make_pair_items(pair for pair in bare if pair.name not in items)
    add_items(session, project, new)
    items |= {item.name: item for item in new}
    for pair in pairs:
        item = items[pair.name]
        words = tuple(tuple(item.content[side]) for side in alignment.SIDES)
        if words != (pair.source, pair.target):
            raise ParaphrastError(
                f"pair {pair.name!r} has different words in this project. Check that "
                "the file belongs to it."
            )
        assignment = Assignment(
            item_id=item.id,
            account_id=account_id,
            part="annotator",
            position=item.number,
        )
        if session.scalar(
            select(Assignment.id).where(
                Assignment.item_id == item.id, Assignment.account_id == account_id
            )
        ):
            raise ParaphrastError(
                f"pair {pair.name!r} is already theirs. Leave it out of the file."
            )
        session.add(assignment)
        session.flush()
        session.refresh(assignment)
        begin_with(session, assignment, alignment.make_base(pair, alignment.HUMAN))
        add_event(session, assignment, key="imported", kind="done", content={})


def add_outputs(
    session: Session,
    project: Project,
    outputs: Sequence[sheets.Output],
    gold: Mapping[Known, Mapping[str, int]] | None = None,
) -> None:
    """Add outputs as items to judge; their systems join those of the project.

    Outputs are numbered on from those that the project has.
    """
    contents = session.scalars(
        select(Item.content).where(Item.project_id == project.id)
    )
    last = max((o["number"] for c in contents for o in c["outputs"]), default=0)
    numbered = [replace(output, number=last + output.number) for output in outputs]
    at_once = project.settings["questions"]["outputs"]
    items, systems = make_judging_items(numbered, at_once=at_once, gold=gold)
    all_systems = list(project.settings["systems"])
    all_systems += [name for name in systems if name not in all_systems]
    project.settings = dict(project.settings) | {"systems": all_systems}
    add_items(session, project, items)
