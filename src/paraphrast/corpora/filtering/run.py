"""Filter files of pairs block by block, and report.

Every record is either in the output or in the rejected file; lines are written
unchanged. Memory does not grow with the input, the result does not depend on the number
of processes, and an interrupted run can be resumed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path
from typing import Any

from paraphrast.corpora.filtering.blocks import Block, read_blocks
from paraphrast.corpora.filtering.report import Report, tally
from paraphrast.corpora.filtering.stages import Pipeline, Similarity
from paraphrast.corpora.filtering.workers import Judge, judge_blocks, read_texts
from paraphrast.corpora.formats import Format, choose_pair_format
from paraphrast.corpora.lines import STDIN
from paraphrast.errors import ParaphrastError
from paraphrast.storage.resumable import Journal, identity
from paraphrast.text.similarity import HashedSimilarity

SAMPLE = 8  # blocks from the start of the input that the similarity is fitted on


def filter_files(
    paths: Sequence[Path],
    outputs: Sequence[Path] = (),
    *,
    pipeline: Pipeline | None = None,
    format: str | Format | None = None,
    rejected: Path | None = None,
    similarity: Similarity | None = None,
    processes: int = 1,
    resume: bool = False,
    progress: Callable[[int], None] = lambda size: None,
) -> Report:
    """Write the pairs that pass every stage and report what each one dropped.

    Without outputs only the report is made. Without a similarity, a `HashedSimilarity`
    is fitted on the first megabytes of the input. With several processes the similarity
    must be picklable. ``progress`` is called with the number of bytes of the
    (decompressed) input that are done.
    """
    pipeline = pipeline or Pipeline()
    chosen = choose_pair_format(paths, format)
    _check_paths(paths, outputs, rejected=rejected, processes=processes, resume=resume)
    blocks = read_blocks(paths)
    if similarity is None:
        similarity, blocks = fit_similarity(blocks, chosen, pipeline)
    signature = str(getattr(similarity, "signature", type(similarity).__name__))
    written = [*outputs, *([rejected] if rejected else [])]
    settings = _list_settings(paths, chosen, pipeline, signature)
    read, dropped = 0, tally()
    with Journal(
        written, settings, resume=resume, resumable=STDIN not in paths
    ) as journal:
        if journal.state:
            read, dropped = journal.state["read"], tally(journal.state["dropped"])
            blocks = read_blocks(paths, starts=journal.state["ends"])
        judge = Judge(chosen, pipeline, similarity)
        for result in judge_blocks(blocks, judge, processes=processes):
            read += result.read
            dropped.update(result.dropped)
            kept = result.kept if outputs else ()
            journal.add(
                [*kept, *([result.rejected] if rejected else [])],
                {"read": read, "dropped": dict(dropped), "ends": result.ends},
            )
            progress(sum(result.ends))
    return Report(read, dict(dropped), pipeline, signature)


def _check_paths(
    paths: Sequence[Path],
    outputs: Sequence[Path],
    *,
    rejected: Path | None,
    processes: int,
    resume: bool,
) -> None:
    if outputs and len(outputs) != len(paths):
        raise ParaphrastError(
            f"{len(paths)} input file(s) need as many outputs, not {len(outputs)}. "
            "Give -o once for each."
        )
    written = [path.absolute() for path in (*outputs, rejected) if path]
    if len(set(written)) < len(written):
        raise ParaphrastError("two outputs have the same name. Name them differently.")
    if processes < 1:
        raise ParaphrastError(f"processes must be at least 1, not {processes}.")
    if resume and (not outputs or STDIN in paths):
        raise ParaphrastError(
            "only a run from files to an output can be resumed. Give both, or leave "
            "out --resume."
        )


def fit_similarity(
    blocks: Iterator[Block], format: Format, pipeline: Pipeline
) -> tuple[HashedSimilarity, Iterator[Block]]:
    """Return a similarity fitted on the first blocks, and all of the blocks again."""
    if "content" in pipeline.skip:
        return HashedSimilarity(), blocks
    sample = list(islice(blocks, SAMPLE))
    texts = chain.from_iterable(read_texts(block, format) for block in sample)
    return HashedSimilarity.fit(texts), chain(sample, blocks)


def _list_settings(
    paths: Sequence[Path], format: Format, pipeline: Pipeline, similarity: str
) -> dict[str, Any]:
    return {
        "input": [identity(path) for path in paths if path != STDIN],
        "format": [type(format).__name__, getattr(format, "__dict__", {})],
        "thresholds": asdict(pipeline),
        "similarity": similarity,
    }
