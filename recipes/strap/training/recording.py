"""What the models make of the test's inputs, written beside what made it."""

# ruff: noqa: T201
import json
from collections.abc import Sequence
from pathlib import Path

import choosing
import stages
from choosing import Task, Wanted
from work import Work, write

from paraphrast.corpora.filtering.preservation import find_lost
from paraphrast.neural.models.folders import WEIGHTS
from paraphrast.storage.packs import sha256
from paraphrast.text import overlap


def outputs(work: Work, _: float) -> None:
    """Write what the students make of the test's inputs and of development text."""
    one_step(work, {"student": "shipped", "student-unsupervised": "unsupervised"})
    (work.folder / "outputs/done").touch()


def one_step(work: Work, names: dict[str, str]) -> None:
    """Rewrite by students, greedily and by beam search."""
    from sampling import Sampler

    tests, held = work.tests(), work.development()
    for name, short in names.items():
        model = Sampler(work.folder / name, work.device, half=False)
        weights = work.folder / name / WEIGHTS
        for how, beam in (("32bit", 1), ("beam", 4)):
            for title, rows in (("", tests), ("-dev", held)):
                asked = [(text, style) for style, text in rows]
                found = model.write(asked, beam=beam, longest=work.longest)
                record(
                    work,
                    f"{short}-{how}{title}",
                    rows,
                    [own[0] for own in found],
                    model=weights,
                    made=f"{name}, 32 bits, beam {beam}",
                )


def teacher_reranked(work: Work, _: float) -> None:
    """Write the guide's choice of a larger teacher's candidates."""
    rows = work.tests()
    known = {
        (t.source, t.style): t
        for t in stages.candidates(work.folder / "candidates/strap.tsv")
    }
    tasks = [known.get((text, style), Task(text, style)) for style, text in rows]
    record(
        work,
        "teacher-reranked",
        rows,
        best(work, tasks),
        model=work.folder / "candidates/strap.tsv",
        made="the large teacher's best sample by the guide",
    )


def best(work: Work, tasks: Sequence[Task]) -> list[str]:
    """Return the best text of each task; one that keeps names, if there is one."""
    guide = stages.load_guide(work)
    with choosing.processes(1 if work.rehearsal else 8) as pool:
        passed = choosing.all_accepted(tasks, pool, everything=work.rehearsal)
    either = [
        p
        if p.texts
        else Task(t.source, t.style, list(dict.fromkeys(t.texts)) or [t.source])
        for p, t in zip(passed, tasks, strict=True)
    ]
    weighing = Wanted()
    return [
        max(own, key=lambda one: choosing.utility(one, weighing))[0]
        for own in choosing.rate(either, guide)
    ]


def record(
    work: Work,
    name: str,
    rows: Sequence[tuple[str, str]],
    answers: Sequence[str],
    *,
    model: Path,
    made: str,
) -> None:
    """Write rows style, input, output, and what made them."""
    folder = work.folder / "outputs"
    table = {
        "signature": sha256(model),
        "made": made,
        "evaluators": [stages.signature(work)],
    }
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(table))
    write(
        folder / f"{name}.tsv",
        [
            f"{style}\t{text}\t{own}"
            for (style, text), own in zip(rows, answers, strict=True)
        ],
    )
    kept = sum(not find_lost(t, own) for (_, t), own in zip(rows, answers, strict=True))
    same = sum(
        overlap.words(t) == overlap.words(own)
        for (_, t), own in zip(rows, answers, strict=True)
    )
    print(
        f"{name}: {len(rows)} outputs, names kept in {kept}, copies {same}", flush=True
    )
