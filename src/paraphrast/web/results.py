"""A project's results so far, computed by `study` from finished work."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from paraphrast.align.base import AlignedPair, Link
from paraphrast.align.formats.jsonl import LABELS
from paraphrast.errors import unknown
from paraphrast.metrics.defaults import Resampling
from paraphrast.study import acceptance, agreement, criteria, paraphrase_scale, sheets
from paraphrast.study.alignments import Annotations as ByAnnotator
from paraphrast.study.alignments import Comparison, compare_annotators
from paraphrast.study.judgments import Judgment
from paraphrast.study.link_agreement import Estimate, LinkAgreement, compare_links
from paraphrast.web.annotation import alignment, judging
from paraphrast.web.database.tables import (
    Account,
    Annotation,
    Assignment,
    Event,
    Item,
    Project,
)
from paraphrast.web.exchange import write_table

SAMPLES, RESAMPLING = 100, Resampling(resamples=200)  # a page is not to be waited for
WINDOWS, LEAST_IN_WINDOW = 8, 5
# Pairs that are compared for a page, those of every two annotators together, and those
# of two annotators however many others there are.
MOST_COMPARED, LEAST_COMPARED = 1_000, 20
AGAIN = ("first time", "second time")


@dataclass(frozen=True)
class Finished:
    """Work that somebody finished: the item, the person, and the state."""

    item: Item
    annotator: str
    round: int
    time: int
    state: Mapping[str, Any]


@dataclass(frozen=True)
class TwoAligners:
    """Agreement of two annotators: Ĉ and the tables, the links, and over time."""

    comparison: Comparison
    links: LinkAgreement
    windows: tuple[tuple[int, Estimate], ...]


@dataclass(frozen=True)
class AlignReport:
    """Agreement on alignments; ``untouched`` counts each one's automatic links.

    ``gold`` is each annotator's agreement with the gold links, if there are any. Every
    two are compared on the ``last`` pairs that they finished, if they have more.
    """

    twos: tuple[TwoAligners, ...] = ()
    untouched: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    gold: Mapping[str, LinkAgreement] = field(default_factory=dict)
    last: int = 0


@dataclass(frozen=True)
class JudgeReport:
    """Results of judging so far, by the part of `study` that the protocol names.

    There may be ``finished`` judgments but no figures yet, as a label needs a majority.
    """

    finished: int = 0
    means: criteria.Report | None = None
    shares: tuple[paraphrase_scale.Report, ...] = ()
    reading: acceptance.Report | None = None
    self_agreement: Mapping[str, tuple[agreement.Agreement, ...]] = field(
        default_factory=dict
    )
    gold: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def read_finished(
    session: Session, project: Project, *, part: str = "annotator"
) -> list[Finished]:
    """Return finished work, in the order of the items."""
    rows = session.execute(
        select(Item, Account.name, Assignment.round, Assignment.done, Annotation.state)
        .join(Assignment, Assignment.item_id == Item.id)
        .join(Account, Account.id == Assignment.account_id)
        .join(Annotation, Annotation.assignment_id == Assignment.id)
        .where(
            Item.project_id == project.id,
            Assignment.part == part,
            Assignment.done.is_not(None),
        )
        .order_by(Item.number, Assignment.id)
    )
    return [Finished(*row) for row in rows]


def write_log(session: Session, project: Project) -> str:
    """Return all events of a project, as JSON Lines."""
    rows = session.execute(
        select(Item.name, Account.name, Assignment.part, Assignment.round, Event)
        .join(Assignment, Assignment.item_id == Item.id)
        .join(Account, Account.id == Assignment.account_id)
        .join(Event, Event.assignment_id == Assignment.id)
        .where(Item.project_id == project.id)
        .order_by(Item.number, Assignment.id, Event.number)
    )
    return "".join(
        json.dumps(
            {"item": item, "annotator": annotator, "part": part, "round": round}
            | {"number": event.number, "time": event.time, "kind": event.kind}
            | {"content": event.content},
            ensure_ascii=False,
        )
        + "\n"
        for item, annotator, part, round, event in rows
    )


def as_pair(finished: Finished) -> AlignedPair:
    """Return a finished alignment as `align` has it."""
    return alignment.from_json(finished.state).as_pair(finished.item.name)


def choose_alignments(
    session: Session, project: Project, annotator: str = ""
) -> list[AlignedPair]:
    """Return one annotator's alignments, or the project's own.

    Those are the adjudicated ones, or else those with only one annotator or on which
    two agree; pairs waiting for an adjudicator are left out.
    """
    finished = [row for row in read_finished(session, project) if row.round == 1]
    if annotator:
        mine = [row for row in finished if row.annotator == annotator]
        if not mine:
            names = {row.annotator for row in finished}
            raise unknown("annotator with finished work", annotator, names)
        return list(map(as_pair, mine))
    chosen: dict[str, AlignedPair | None] = {}
    for row in finished:
        pair = as_pair(row)
        before = chosen.get(row.item.name, pair)
        agrees = before is not None and _labels(before) == _labels(pair)
        chosen[row.item.name] = pair if agrees else None
    for row in read_finished(session, project, part="adjudicator"):
        chosen[row.item.name] = as_pair(row)
    return [pair for pair in chosen.values() if pair is not None]


def _labels(pair: AlignedPair) -> set[tuple[int, int, bool]]:
    return {(link.source, link.target, link.sure) for link in pair.links}


def report_alignments(session: Session, project: Project) -> AlignReport:
    """Compare every two annotators on what both finished."""
    finished = [row for row in read_finished(session, project) if row.round == 1]
    mine: dict[str, dict[str, Finished]] = {}
    for row in finished:
        mine.setdefault(row.annotator, {})[row.item.name] = row
    blind = bool(project.settings["blind"])
    shared = {
        two: [name for name in mine[two[0]] if name in mine[two[1]]]
        for two in combinations(sorted(mine), 2)
    }
    shared = {two: names for two, names in shared.items() if names}
    most = max(LEAST_COMPARED, MOST_COMPARED // max(1, len(shared)))
    twos = []
    for two, names in shared.items():
        last = _find_last(names, [mine[who] for who in two], most)
        rows = [[mine[who][name] for name in last] for who in two]
        twos.append(_compare(two, rows, blind=blind))
    return AlignReport(
        tuple(twos),
        {name: _count_untouched(rows.values()) for name, rows in mine.items()},
        _compare_gold(mine),
        most if any(len(names) > most for names in shared.values()) else 0,
    )


def _find_last(
    names: Sequence[str], sides: Sequence[Mapping[str, Finished]], most: int
) -> list[str]:
    """Return the items that both finished last, in the order of the project."""
    if len(names) <= most:
        return list(names)
    times = {name: max(side[name].time for side in sides) for name in names}
    last = set(sorted(names, key=times.__getitem__)[-most:])
    return [name for name in names if name in last]


def report_judgments(session: Session, project: Project) -> JudgeReport:
    """Compute the results of judging by the protocol's part of `study`."""
    finished = read_finished(session, project)
    if not finished:
        return JudgeReport()
    rows = [row for row in finished if row.round == 1]
    kind = project.settings["questions"]["report"]
    report = JudgeReport(
        len(rows),
        self_agreement=_compare_rounds(finished),
        gold=_count_gold(finished),
    )
    if not rows:
        return report
    if kind == "criteria":
        result = criteria.make_report(make_marks(rows), resampling=RESAMPLING)
        return replace(report, means=result)
    with TemporaryDirectory() as folder:
        for name, content in write_judgments(rows, kind).items():
            Path(folder, name).write_text(content, "utf-8")
        table = Path(folder, "judgments.csv")
        if kind == "paraphrase":
            outputs = paraphrase_scale.read_outputs([table])
            reports = (
                paraphrase_scale.make_report(system, listed, RESAMPLING)
                for system, listed in sorted(outputs.items())
                if any(output.majority is not None for output in listed)
            )
            return replace(report, shares=tuple(reports))
        key = sheets.read_key(Path(folder, sheets.KEY))
        marks = acceptance.read_marks([table])
    read = acceptance.make_report(key, marks, resampling=RESAMPLING)
    return replace(report, reading=read)


def make_marks(rows: Iterable[Finished]) -> list[criteria.Mark]:
    """Return the ratings of each system's outputs for `study.criteria`."""
    marks = []
    for row in rows:
        state = judging.from_json(row.state)
        outputs = {output["number"]: output for output in row.item.content["outputs"]}
        preference = {
            question.name
            for question in state.questions
            if question.kind == "preference"
        }
        for number, output in outputs.items():
            values = {
                name: float(value)
                for (about, name), value in state.answers.items()
                if about == number and isinstance(value, int)
            }
            for name in preference & {name for _, name in state.answers}:
                chosen = state.answers[0, name]
                values[name] = 0.5 if chosen == 0 else float(chosen == number)
            item = (
                row.item.name
                if preference
                else f"{output['item']} to {output['target']}"
            )
            marks += [
                criteria.Mark(system, item, row.annotator, values)
                for system in output["systems"]
            ]
    return marks


def write_judgments(rows: Sequence[Finished], kind: str) -> dict[str, str]:
    """Return the files that ``paraphrast study`` reads: a table, and maybe a key."""
    if kind == "criteria":
        marked = [
            {"system": mark.system, "item": mark.item, "annotator": mark.annotator}
            | {name: f"{value:g}" for name, value in mark.values.items()}
            for mark in make_marks(rows)
        ]
        return {"judgments.csv": write_table(marked, escape=False)}
    table: list[dict[str, Any]] = []
    key: dict[int, sheets.Output] = {}
    for row in rows:
        state = judging.from_json(row.state)
        for output in row.item.content["outputs"]:
            key[output["number"]] = sheets.Output(
                **{**output, "systems": tuple(output["systems"])}
            )
            answers = {
                name: value
                for (number, name), value in state.answers.items()
                if number == output["number"]
            }
            about = {"number": output["number"], "annotator": row.annotator}
            if kind == "acceptance":
                table.append(about | answers)
                continue
            table += [
                {"system": system, "item": f"{output['item']} to {output['target']}"}
                | {"annotator": row.annotator, **answers}
                | {"source": output["source"], "output": output["output"]}
                for system in output["systems"]
            ]
    files = {"judgments.csv": write_table(table)}
    if kind == "acceptance":
        lines = [sheets.write_key_row(key[number]) for number in sorted(key)]
        files[sheets.KEY] = "".join(lines)
    return files


def _compare(
    two: tuple[str, str], rows: Sequence[Sequence[Finished]], *, blind: bool
) -> TwoAligners:
    """Compare two annotators; the same work is not compared twice."""
    pairs = tuple(tuple(as_pair(row) for row in side) for side in rows)
    times = tuple(max(a.time, b.time) for a, b in zip(*rows, strict=True))
    initial = tuple(() if blind else _initial_links(row) for row in rows[0])
    return _compare_pairs(two, pairs, times, initial)


@lru_cache(maxsize=64)
def _compare_pairs(
    two: tuple[str, str],
    pairs: tuple[tuple[AlignedPair, ...], ...],
    times: tuple[int, ...],
    initial: tuple[tuple[Link, ...], ...],
) -> TwoAligners:
    first, second = pairs
    names = tuple(pair.name for pair in first)
    by_annotator = ByAnnotator(
        names,
        {
            who: dict(zip(names, side, strict=True))
            for who, side in zip(two, pairs, strict=True)
        },
    )
    report = compare_annotators(
        by_annotator,
        dict(zip(names, initial, strict=True)),
        samples=SAMPLES,
        resampling=RESAMPLING,
    )
    order = sorted(range(len(names)), key=times.__getitem__)
    size = max(LEAST_IN_WINDOW, -(-len(order) // WINDOWS))
    windows = []
    for begin in range(0, len(order), size):
        part = order[begin : begin + size]
        if len(part) >= LEAST_IN_WINDOW:
            links = compare_links(
                [first[i] for i in part], [second[i] for i in part], RESAMPLING
            )
            windows.append((begin + len(part), links.f1_all))
    return TwoAligners(
        report.comparisons[0],
        compare_links(first, second, RESAMPLING),
        tuple(windows),
    )


def _initial_links(row: Finished) -> tuple[Link, ...]:
    """Return the machine's links that an item came with or was given."""
    return tuple(
        Link(i, j, probability, LABELS[label])
        for i, j, label, _, probability in row.item.content.get("links", ())
    )


def _count_untouched(rows: Iterable[Finished]) -> tuple[int, int]:
    """Return the number of unchanged automatic links, and of all."""
    origins = [link[3] for row in rows for link in row.state["links"]]
    machines = (alignment.MACHINE, alignment.ACCEPTED)
    return sum(origin in machines for origin in origins), len(origins)


def _compare_gold(
    mine: Mapping[str, Mapping[str, Finished]],
) -> dict[str, LinkAgreement]:
    result = {}
    for name, rows in mine.items():
        with_gold = [row for row in rows.values() if row.item.gold]
        if with_gold:
            gold = [
                alignment.start({**row.item.content, **(row.item.gold or {})}).as_pair()
                for row in with_gold
            ]
            result[name] = compare_links(
                list(map(as_pair, with_gold)), gold, RESAMPLING
            )
    return result


def _compare_rounds(
    finished: Sequence[Finished],
) -> dict[str, tuple[agreement.Agreement, ...]]:
    """Return people's agreement with themselves on repeated texts."""
    again = {(row.item.id, row.annotator) for row in finished if row.round == 2}
    labels: dict[str, list[Judgment]] = {}
    for row in finished:
        if (row.item.id, row.annotator) not in again:
            continue
        for (number, name), value in judging.from_json(row.state).answers.items():
            if isinstance(value, int):
                item = f"{row.item.name}\t{row.annotator}\t{number}"
                labels.setdefault(name, []).append(
                    Judgment(item, AGAIN[row.round - 1], str(value))
                )
    return agreement.compare_marks(labels, RESAMPLING)


def _count_gold(finished: Sequence[Finished]) -> dict[str, tuple[int, int]]:
    """Return each person's number of correct answers, and of gold answers."""
    counts: dict[str, tuple[int, int]] = {}
    for row in finished:
        answers = judging.from_json(row.state).answers
        for number, name, value in (row.item.gold or {}).get("answers", ()):
            right, total = counts.get(row.annotator, (0, 0))
            counts[row.annotator] = (
                right + (answers.get((number, name)) == value),
                total + 1,
            )
    return counts
