"""STRAP in full, with our models: Tables 1, 3, 15 and 16, and the required results.

Judges that took no part in making any system score all rows in the same run. Figures
that name no judge are the large one's, and left out where it was not built; those of
the others begin with "by small" and "by linear". SIM and J of Table 1 are against the
gold rewrite, of Table 15 against the source. Systems read STRAP's sentences as people
write them, and every output is scored as it is, even where a text came back unchanged.
Nothing was chosen by these sentences.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

import numpy as np

from paraphrast.comparison.baselines import make_naive_outputs
from paraphrast.corpora.loaders import strap
from paraphrast.estimators.charts import Point
from paraphrast.judges.judge import refuse_if_used
from paraphrast.metrics import Segment
from paraphrast.metrics.base import set_outputs
from paraphrast.neural.models.generation import Decoding
from paraphrast.neural.models.pack import load_pack
from paraphrast.reproduce import Value, Workspace
from paraphrast.storage.packs import Pack
from paraphrast.text import overlap
from paraphrast.text.normalisation import keep_letters
from recipes.charts import columns, scatter
from recipes.missing import report_large_judge
from training.styles import STYLES

from . import systems
from .scoring import BLEU, Figures, Scorer, lead, plain, scorers_of, times
from .systems import Answer, Asked, answers, elsewhere, optional, outputs, phrase_pack
from .texts import (
    DIRECTIONS,
    SENTENCES,
    cross_styles,
    make_style_text,
    play_lines,
    read_published,
    style_text,
    test,
    tokenise_marks,
    towards,
    training_text,
)

BASELINE = "STRAP p=0.0"
OURS, UNSUPERVISED, TEACHER = "shipped", "unsupervised", "large teacher, reranked"
PHRASE, NAIVE = "phrase engine", "NAIVE"
TWO_STEPS = "two steps"
NUCLEI = (0.0, 0.6, 0.9)
COPIES, SEED = 0.5, 1  # STRAP's share of copies for Shakespeare
PARAPHRASED = 200  # sentences of each style
FEW_WORDS = 5  # shorter outputs may occur anywhere
# Rows whose outputs were made in training: file, name.
ELSEWHERE = {
    "teacher-reranked": TEACHER,
    "two-steps-reranked": f"{TWO_STEPS}, reranked",
}
# The two steps in 32 bits; where these are missing, the pack is used.
STEPS_ELSEWHERE = {
    "two-steps-greedy": f"{TWO_STEPS} p=0.0",
    "two-steps-p06": f"{TWO_STEPS} p=0.6",
    "two-steps-p09": f"{TWO_STEPS} p=0.9",
}
# STRAP's whole method, and the method without each of its parts.
WHOLE = f"{TWO_STEPS} p=0.0"
STRAIGHT = f"{WHOLE}, no paraphrase first"
PARTS_ELSEWHERE = {
    "two-steps-straight": STRAIGHT,
    "two-steps-shared": f"{WHOLE}, one inverse for all styles",
    "two-steps-undiverse": f"{WHOLE}, paraphraser without diversity",
}
PARAPHRASERS_ELSEWHERE = {
    "paraphraser-diverse": "the two steps' paraphraser",
    "paraphraser-undiverse": "the two steps' paraphraser, without diversity",
}
ABLATED_ELSEWHERE = {
    "shipped-32bit": f"{OURS}, 32 bits",
    "unsupervised-32bit": f"{UNSUPERVISED}, 32 bits",
}
EXAMPLES = {
    "shakespeare": (
        "I can't believe you killed my friend.",
        "Where are you going so early in the morning?",
    ),
    "modern": ("I prithee, speak no more of this matter, good cousin.",),
    "bible": ("He told the people to leave the city before the soldiers came.",),
    "poetry": ("The moon came up over the lake and everything was quiet.",),
    "formal": ("gonna be late, traffic's nuts, sorry guys",),
    "informal": ("I regret to inform you that the meeting has been postponed.",),
    "prose-1810": ("She didn't want to talk to him, because he had lied to her.",),
    "tweet": ("I am very pleased that the weather will be fine at the weekend.",),
    "conversation": ("It is my opinion that children watch too much television.",),
}


@dataclass(frozen=True)
class Row:
    """A system's outputs for some segments, and the evaluators that made it."""

    segments: Sequence[Segment]
    evaluators: tuple[str, ...] = ()
    answers: Sequence[Answer] = field(default=())


def find_missing(workspace: Workspace) -> Iterator[str]:
    """Refuse to begin without the shipped pack; report which rows have no system."""
    systems.load_shipped(workspace)
    yield from report_large_judge()
    yield from systems.report_missing(workspace)


def phrase(workspace: Workspace) -> Figures:
    """Train the phrase packs without Romeo and Juliet."""
    for style in DIRECTIONS:
        phrase_pack(workspace, style)
    return {}


def styles(workspace: Workspace) -> Figures:
    """Make the held-out text of the eleven styles."""
    make_style_text(workspace)
    result = style_text(workspace, "test")
    return {f"test sentences, {name}": Value(len(own)) for name, own in result.items()}


def table_1(workspace: Workspace) -> Figures:
    """Score every system on STRAP's test, with paired tests against STRAP."""
    rows = shakespeare_rows(workspace)
    values: Figures = {}
    judges = list(scorers_of(workspace).values())
    for scorer in judges:
        values |= judged_rows(scorer.two_way(), rows)
    for name, row in rows.items():
        values |= plain(name, row.segments)
        for style in DIRECTIONS:
            values |= plain(f"{name}, to {style}", towards(row.segments, style))
        values |= count_unchanged(name, row.answers)
    values |= beside_phrase(rows, values)
    sweep_plot(workspace, values, judges[0].prefix)
    return values


def shakespeare_rows(workspace: Workspace) -> dict[str, Row]:
    """Return the outputs of all systems for STRAP's test."""
    folder = workspace.corpus("strap")
    lines = test(folder)
    rows = {name: Row(read_published(folder, name)) for name in strap.systems()}
    pool = dict(
        zip(
            ("modern", "shakespeare"),
            zip(*play_lines(workspace.corpus("jhamtani17"), "train"), strict=True),
            strict=True,
        )
    )
    rows[NAIVE] = Row(
        set_outputs(lines, make_naive_outputs(lines, pool, copies=COPIES, seed=SEED))
    )
    rows[PHRASE] = phrase_row(workspace, lines)
    rows[OURS] = pack_row(workspace, systems.load_shipped(workspace))
    student = optional(workspace, systems.UNSUPERVISED)
    if student is not None:
        rows[UNSUPERVISED] = pack_row(workspace, student)
    return rows | two_steps(workspace) | made_elsewhere(workspace, ELSEWHERE)


def two_steps(workspace: Workspace) -> dict[str, Row]:
    """Return STRAP's own method with our models, greedy and sampled."""
    rows = made_elsewhere(workspace, STEPS_ELSEWHERE)
    inverse = optional(workspace, systems.INVERSE)
    if rows or inverse is None:
        return rows
    return {
        f"{TWO_STEPS} p={p:.1f}": pack_row(workspace, inverse, decoding=nucleus(p))
        for p in NUCLEI
    }


def nucleus(p: float) -> Decoding:
    """Return the decoding settings; p = 0 is greedy search, as in the paper."""
    return Decoding(method="nucleus", top_p=p) if p else Decoding()


def pack_row(
    workspace: Workspace,
    pack: Pack,
    *,
    decoding: Decoding | None = None,
    through: bool = True,
) -> Row:
    """Run a pack on all of STRAP's test."""
    lines = test(workspace.corpus("strap"))
    asked = Asked(pack.folder, decoding, through)
    result = answers(workspace, asked, lines)
    return Row(set_outputs(lines, outputs(result)), pack.about.evaluators, result)


def phrase_row(workspace: Workspace, lines: Sequence[Segment]) -> Row:
    """Run the phrase packs, each in its direction."""
    result: dict[Segment, Answer] = {}
    for style in DIRECTIONS:
        own = towards(lines, style)
        asked = Asked(phrase_pack(workspace, style))
        result |= dict(zip(own, answers(workspace, asked, own), strict=True))
    given = [result[line] for line in lines]
    return Row(set_outputs(lines, outputs(given)), (), given)


def made_elsewhere(workspace: Workspace, files: Mapping[str, str]) -> dict[str, Row]:
    """Return the rows whose outputs are in files, as far as these exist."""
    lines = test(workspace.corpus("strap"))
    rows = {}
    for file, name in files.items():
        result = elsewhere(workspace, file)
        if result is not None:
            used = tuple(result.about.get("evaluators", ()))
            rows[name] = Row(
                set_outputs(lines, map(tokenise_marks, result.outputs)), used
            )
    return rows


def judged_rows(scorer: Scorer, rows: Mapping[str, Row]) -> Figures:
    """Return a judge's figures of every row."""
    prefix = scorer.prefix
    values: Figures = {}
    baseline = scorer.ask_judge(rows[BASELINE].segments)
    # STRAP's own row comes first: the others are compared with it.
    for name, row in sorted(rows.items(), key=lambda item: item[0] != BASELINE):
        refuse_if_used(scorer.judge, row.evaluators, system=name)
        said, label = scorer.ask_judge(row.segments), f"{prefix}{name}"
        values |= scorer.figures(label, said, row.segments)
        targets = np.array([segment.target for segment in row.segments])
        ahead = 0
        for style in DIRECTIONS:
            chosen = targets == style
            way = f"{label}, to {style}"
            own = said.of(chosen)
            values |= scorer.figures(way, own, towards(row.segments, style))
            result, better = lead(
                f"{way}: lead over {BASELINE}",
                scorer.judge.metrics()[3],
                baseline.of(chosen).rows(),
                own.rows(),
            )
            if name != BASELINE:
                values |= result
                ahead += better
        values[f"{label}: directions ahead of STRAP, p < 0.01"] = Value(float(ahead))
        values |= against_strap(values, prefix, name)
    return values


def against_strap(values: Figures, prefix: str, name: str) -> Figures:
    """Return J as a multiple of STRAP's, and the lead in SIM to the source."""
    ours, theirs = f"{prefix}{name}", f"{prefix}{BASELINE}"
    sim = [values[f"{system}: SIM to source"].value for system in (ours, theirs)]
    return {
        f"{ours}: J over STRAP's": times(values, f"{ours}: J", f"{theirs}: J"),
        f"{ours}: SIM to source above STRAP's": Value(sim[0] - sim[1]),
    }


def beside_phrase(rows: Mapping[str, Row], values: Figures) -> Figures:
    """Return our lead in BLEU over the phrase engine, in each direction."""
    result: Figures = {}
    for name in (OURS, UNSUPERVISED):
        for style in DIRECTIONS if name in rows else ():
            theirs, ours = (
                BLEU.statistics(towards(rows[system].segments, style))
                for system in (PHRASE, name)
            )
            label = f"{name}, to {style}: BLEU above the {PHRASE}'s"
            result |= lead(label, BLEU, theirs, ours)[0]
    return result


def count_unchanged(name: str, given: Sequence[Answer]) -> Figures:
    """Return the share of texts that came back unchanged, by reason."""
    if not given:
        return {}
    reasons = Counter(kind_of(answer.why) for answer in given if answer.why)
    share = 100 / len(given)
    result = {f"{name}: left as it was": Value(share * reasons.total())}
    for why, count in reasons.most_common():
        result[f"{name}: left as it was, {why}"] = Value(share * count)
    return result


def kind_of(why: str) -> str:
    """Return a reason without the words of the text that it names."""
    return why.partition("'")[0].partition('"')[0].strip() or why


def sweep_plot(workspace: Workspace, values: Figures, prefix: str) -> None:
    """Draw how nucleus sampling trades SIM for ACC, ours and STRAP's, by a judge."""
    names = {
        "": ("COPY", "REFERENCE", "UNMT", "DLSM", "TDRG", PHRASE, OURS, UNSUPERVISED),
        "STRAP": ("STRAP p=0.0", "STRAP p=0.6"),
        "ours": tuple(f"{TWO_STEPS} p={p:.1f}" for p in NUCLEI),
    }
    points = [
        Point(
            name,
            values[f"{prefix}{name}: SIM"].value,
            values[f"{prefix}{name}: ACC"].value,
            curve,
        )
        for curve, own in names.items()
        for name in (*own, *((TEACHER,) if not curve else ()))
        if f"{prefix}{name}: ACC" in values and name != "REFERENCE"
    ]
    picture = scatter({"Shakespeare, both directions": points}, across="SIM", up="ACC")
    workspace.write("sweep.svg", picture)


def table_3(workspace: Workspace) -> Figures:
    """Score the systems without single parts of training and inference."""
    rows = {}
    shipped = systems.load_shipped(workspace)
    opened = load_pack(shipped.folder, DIRECTIONS[0]).settings.decoding
    for decoding in (Decoding(), Decoding(method="beam", beam=5)):
        if decoding.method != opened.method:
            name = f"{OURS}, {decoding.method}"
            rows[name] = pack_row(workspace, shipped, decoding=decoding)
    steps = steps_without_a_part(workspace)
    rows |= steps | made_elsewhere(workspace, ABLATED_ELSEWHERE)
    scorer = next(iter(scorers_of(workspace).values())).two_way()
    whole = two_steps(workspace).get(WHOLE)
    values: Figures = {}
    for name, row in rows.items():
        refuse_if_used(scorer.judge, row.evaluators, system=name)
        said, label = scorer.ask_judge(row.segments), f"{scorer.prefix}{name}"
        values |= scorer.figures(label, said, row.segments)
        values |= plain(name, row.segments)
        if whole is not None and name in steps:
            values |= scorer.changes(label, scorer.ask_judge(whole.segments), said)
    return values


def steps_without_a_part(workspace: Workspace) -> dict[str, Row]:
    """Return the two steps with one part left out at a time."""
    rows = made_elsewhere(workspace, PARTS_ELSEWHERE)
    inverse = optional(workspace, systems.INVERSE)
    if inverse is not None and STRAIGHT not in rows:
        rows[STRAIGHT] = pack_row(
            workspace, inverse, decoding=nucleus(0.0), through=False
        )
    return rows


def table_15(workspace: Workspace) -> Figures:
    """Score rewriting into every style from the ten others, beside the baselines."""
    make_style_text(workspace)
    tested = style_text(workspace, "test")
    lines = cross_styles(tested, most=SENTENCES)
    rows = crossed_rows(workspace, lines)
    values: Figures = {}
    judges = eleven_way(workspace)
    for scorer in judges:
        values |= originals(scorer, tested)
        for name, row in rows.items():
            refuse_if_used(scorer.judge, row.evaluators, system=name)
            label = f"{scorer.prefix}11 styles, {name}"
            values |= by_style(scorer, label, row.segments)
        values |= ahead_everywhere(values, scorer.prefix, rows)
    for name in rows:
        values |= plain(f"11 styles, {name}", rows[name].segments)
        values |= count_unchanged(f"11 styles, {name}", rows[name].answers)
    style_plot(workspace, values, [f"{judges[0].prefix}11 styles, {n}" for n in rows])
    return values


def eleven_way(workspace: Workspace) -> list[Scorer]:
    """Return the judges that know all styles."""
    result = scorers_of(workspace).values()
    return [system for system in result if set(STYLES) <= set(system.judge.styles)]


def crossed_rows(workspace: Workspace, lines: Sequence[Segment]) -> dict[str, Row]:
    """Return each system's outputs for every style's text."""
    pool = style_text(workspace, "train")
    retrieved = make_naive_outputs(lines, pool, copies=COPIES, seed=SEED)
    rows = {
        "COPY": Row([replace(line, output=line.source) for line in lines]),
        NAIVE: Row(set_outputs(lines, retrieved)),
    }
    own = [line for line in lines if line.target in DIRECTIONS]
    rows[PHRASE] = phrase_row(workspace, own)
    pack = systems.load_shipped(workspace)
    able = [
        line
        for line in lines
        if systems.find_style(pack, line.target) in pack.about.styles
    ]
    result = answers(workspace, Asked(pack.folder), able)
    rows[OURS] = Row(
        set_outputs(able, [answer.text for answer in result]),
        pack.about.evaluators,
        result,
    )
    return rows


def originals(scorer: Scorer, tested: Mapping[str, Sequence[str]]) -> Figures:
    """Return how many sentences of each style the judge classifies so, and accepts."""
    values: Figures = {}
    result = []
    for style, texts in tested.items():
        own = [Segment(text, text, (), style) for text in texts]
        said = scorer.ask_judge(own)
        label = f"{scorer.prefix}11 styles, original, {style}"
        values[f"{label}: ACC"] = Value(100 * float(said.accuracy.mean()))
        values[f"{label}: FL"] = Value(100 * float(said.fluency.mean()))
        result.append(values[f"{label}: ACC"].value)
    return values | {f"{scorer.prefix}11 styles, original: ACC": Value(fmean(result))}


def by_style(scorer: Scorer, label: str, segments: Sequence[Segment]) -> Figures:
    """Return a system's figures for each target style and overall."""
    values: Figures = {}
    said = scorer.ask_judge(segments)
    targets = np.array([segment.target for segment in segments])
    for style in dict.fromkeys(targets.tolist()):
        chosen = targets == style
        own = towards(segments, style)
        values |= scorer.figures(f"{label}, {style}", said.of(chosen), own)
    return values | scorer.figures(f"{label}, overall", said, segments)


def ahead_everywhere(values: Figures, prefix: str, rows: Mapping[str, Row]) -> Figures:
    """Count the styles in which ours has a higher J than all the others."""
    count = 0
    for style in STYLES:
        label = f"{prefix}11 styles"
        ours = values.get(f"{label}, {OURS}, {style}: J", Value(0.0)).value
        others = [
            values[key].value
            for name in rows
            if name != OURS and (key := f"{label}, {name}, {style}: J") in values
        ]
        count += ours > max(others)
    name = f"{prefix}11 styles: J above COPY, NAIVE and the {PHRASE}, styles of 11"
    return {name: Value(count)}


def style_plot(workspace: Workspace, values: Figures, labels: Sequence[str]) -> None:
    """Draw J by target style, of systems by the prefixes of their figures' names."""
    series = {
        label.rpartition(", ")[2]: [
            values.get(f"{label}, {style}: J", Value(0.0)).value / 100
            for style in STYLES
        ]
        for label in labels
    }
    panel = {"J by target style, from the ten others": series}
    workspace.write(
        "styles.svg",
        columns(panel, groups=list(STYLES), axis="target style"),
    )


def table_16(workspace: Workspace) -> Figures:
    """Measure what the paraphraser does to each style, and to the classifier."""
    make_style_text(workspace)
    tested = style_text(workspace, "test")
    texts = {style: own[:PARAPHRASED] for style, own in tested.items()}
    made = systems.paraphrases(workspace, texts)
    if made is None:
        return {}
    scorer = eleven_way(workspace)[0]
    used = made.about.get("evaluators", ())
    refuse_if_used(scorer.judge, used, system="paraphraser")
    values: Figures = {}
    every: dict[str, list[float]] = {}
    answers = iter(made.outputs)
    for style, own in texts.items():
        rows = [Segment(next(answers), text, (), style) for text in own]
        for name, value in measure_paraphrases(scorer, rows).items():
            label = f"{scorer.prefix}paraphraser, {style}"
            values[f"{label}: {name}"] = Value(value)
            every.setdefault(name, []).append(value)
    for name, column in every.items():
        label = f"{scorer.prefix}paraphraser, overall"
        values[f"{label}: {name}"] = Value(fmean(column))
    return values | other_paraphrasers(workspace, scorer, texts)


def other_paraphrasers(
    workspace: Workspace, scorer: Scorer, texts: Mapping[str, Sequence[str]]
) -> Figures:
    """Measure the same, over all styles, for the paraphrasers of the two steps."""
    wanted = [(style, text) for style, own in texts.items() for text in own]
    values: Figures = {}
    for file, label in PARAPHRASERS_ELSEWHERE.items():
        made = systems.made_for(workspace, file, wanted)
        if made is None:
            continue
        used = made.about.get("evaluators", ())
        refuse_if_used(scorer.judge, used, system=label)
        every: dict[str, list[float]] = {}
        for style in texts:
            rows = [
                Segment(output, text, (), style)
                for (own, text), output in zip(wanted, made.outputs, strict=True)
                if own == style
            ]
            for name, value in measure_paraphrases(scorer, rows).items():
                every.setdefault(name, []).append(value)
        for name, column in every.items():
            values[f"{scorer.prefix}{label}: {name}"] = Value(fmean(column))
    return values


def measure_paraphrases(scorer: Scorer, rows: Sequence[Segment]) -> dict[str, float]:
    """Return how far paraphrases of one style diverge, and how much style is left."""
    said = scorer.ask_judge(rows)
    before = scorer.ask_judge([replace(row, output=row.source) for row in rows])
    words = [(overlap.words(row.source), overlap.words(row.output)) for row in rows]
    return {
        "similarity": 100 * float(said.source.mean()),
        "lexical": 100 * fmean(overlap.unigram_overlap(*two).f1 for two in words),
        "word order": fmean(overlap.kendall_tau(*two) for two in words),
        "ACC before": 100 * float(before.accuracy.mean()),
        "ACC after": 100 * float(said.accuracy.mean()),
    }


def count_recited(workspace: Workspace) -> Figures:
    """Return the share of outputs that are training sentences, word for word."""
    make_style_text(workspace)
    trained = {keep_letters(line) for line in training_text(workspace)}
    rows = {
        name: row.segments
        for name, row in shakespeare_rows(workspace).items()
        if row.answers
    }
    lines = cross_styles(style_text(workspace, "test"), most=SENTENCES)
    rows[f"11 styles, {OURS}"] = crossed_rows(workspace, lines)[OURS].segments
    return {
        f"{name}: outputs recited from training text": Value(
            100 * recital(segments, trained)
        )
        for name, segments in rows.items()
    }


def recital(segments: Sequence[Segment], trained: set[str]) -> float:
    """Return the share of outputs that are training text but not their source."""
    said = [
        keep_letters(s.output) in trained
        and keep_letters(s.output) != keep_letters(s.source)
        and len(s.output.split()) >= FEW_WORDS
        for s in segments
    ]
    return sum(said) / max(1, len(said))


def examples(workspace: Workspace) -> Figures:
    """Rewrite ten sentences of our own, and show both steps where there are two."""
    pack = systems.load_shipped(workspace)
    inverse = optional(workspace, systems.INVERSE)
    lines = ["| to | text | shipped | two steps: neutral, then the style |"]
    lines.append("|---|---|---|---|")
    for style, texts in EXAMPLES.items():
        if systems.find_style(pack, style) not in pack.about.styles:
            continue
        ours = Asked(pack.folder).rewriter(style).rewrite(texts, seed=SEED)
        ways = [""] * len(texts)
        if inverse is not None and style in inverse.about.styles:
            result = Asked(inverse.folder).rewriter(style).rewrite(texts, seed=SEED)
            ways = [" → ".join([*rewrite.steps, rewrite.text]) for rewrite in result]
        for text, rewrite, way in zip(texts, ours, ways, strict=True):
            lines.append(f"| {style} | {text} | {rewrite.text} | {way} |")
    workspace.write("examples.md", "\n".join([*lines, ""]))
    return {}


STEPS = {
    "phrase": phrase,
    "styles": styles,
    "table-1": table_1,
    "table-3": table_3,
    "table-15": table_15,
    "table-16": table_16,
    "recited": count_recited,
    "examples": examples,
}
