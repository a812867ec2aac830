"""The initial state of an item: automatic or two annotators' links, or questions."""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from paraphrast.align.base import AlignedPair, Words
from paraphrast.errors import ParaphrastError
from paraphrast.web.annotation import alignment
from paraphrast.web.database.tables import Annotation, Assignment, Item, Member
from paraphrast.web.service.aligning import open_aligner


def make_base(session: Session, assignment: Assignment) -> dict[str, Any]:
    """Return the content of an assignment's first event."""
    item = assignment.item
    if item.project.kind == "judge":
        return _make_questions(session, assignment)
    if assignment.part == "adjudicator":
        records = find_annotators(session, item.id)[item.id]
        first, second = map(alignment.from_json, records[:2])
        return alignment.make_choices(first, second)
    words = {side: item.content[side] for side in alignment.SIDES}
    blind = item.project.settings["blind"]
    return words | {"links": [] if blind else find_links(item)}


def find_annotators(
    session: Session, *items: int
) -> dict[int, list[Mapping[str, Any]]]:
    """Return the finished alignments of items, in an order that reveals no names.

    They are database records: of most only the links are read.
    """
    rows = session.execute(
        select(Assignment.item_id, Assignment.account_id, Annotation.state)
        .join(Annotation, Annotation.assignment_id == Assignment.id)
        .where(
            Assignment.item_id.in_(items),
            Assignment.part == "annotator",
            Assignment.done.is_not(None),
        )
    ).all()

    def shuffle(row: Any) -> bytes:
        return sha256(f"{row.item_id} {row.account_id}".encode()).digest()

    result: dict[int, list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=shuffle):
        result.setdefault(row.item_id, []).append(row.state)
    return result


def find_links(item: Item) -> list[list[Any]]:
    """Return an item's initial links: imported ones, or automatic ones."""
    if "links" in item.content:
        links: list[list[Any]] = item.content["links"]
        return links
    words = [tuple(item.content[side]) for side in alignment.SIDES]
    return [list(link) for link in _align(*words)]


@lru_cache(maxsize=256)
def _align(source: Words, target: Words) -> tuple[tuple[Any, ...], ...]:
    with open_aligner() as align:
        (links,) = align([(source, target)])
    base = alignment.make_base(AlignedPair(source, target, links))
    return tuple(tuple(link) for link in base["links"])


def cut_anew(assignment: Assignment, content: Mapping[str, Any]) -> None:
    """Replace an item's tokens; imported links no longer fit."""
    item = assignment.item
    if item.project.kind != "align" or assignment.part != "annotator":
        raise ParaphrastError("tokens cannot be edited here.")
    source, target = (
        alignment.check_tokens(item.content[side], content.get(side))
        for side in alignment.SIDES
    )
    item.content = {"source": list(source), "target": list(target)}


def _make_questions(session: Session, assignment: Assignment) -> dict[str, Any]:
    project = assignment.item.project
    protocol = project.settings["questions"]
    return {
        "outputs": order_outputs(session, assignment),
        "questions": [
            {
                "name": criterion["name"],
                "kind": criterion["kind"],
                "source": criterion["source"],
                "values": [answer["value"] for answer in criterion["answers"]],
                "needed_if": criterion["needed_if"],
            }
            for criterion in protocol["criteria"]
        ],
    }


def order_outputs(session: Session, assignment: Assignment) -> list[int]:
    """Return the outputs' numbers, rotated by a Latin square.

    Over as many texts as there are systems each is once in every position, and two
    people see a text in different orders.
    """
    item = assignment.item
    systems: list[str] = item.project.settings["systems"]
    outputs = sorted(
        item.content["outputs"],
        key=lambda output: min(systems.index(name) for name in output["systems"]),
    )
    before = session.scalar(
        select(func.count())
        .select_from(Member)
        .where(
            Member.project_id == item.project_id,
            Member.account_id < assignment.account_id,
        )
    )
    shift = (item.number + (before or 0) + assignment.round - 1) % len(outputs)
    return [output["number"] for output in outputs[shift:] + outputs[:shift]]
