"""``paraphrast corpora …``: parse, call, print."""

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    help="Find, fetch, clean, split, filter and align corpora.",
)


@app.callback()
def corpora() -> None:
    """Find, fetch, clean, split, filter and align corpora."""


@app.command("align-sentences")
def align_sentences(
    source: Annotated[
        Path, typer.Argument(help="One sentence a line, or a folder of such files.")
    ],
    target: Annotated[
        Path, typer.Argument(help="The same text in the other style or language.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The pairs: .tsv or .jsonl.")
    ],
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="Keep beads likelier than this.")
    ] = 0.5,
    cognates: Annotated[
        bool, typer.Option("--cognates", help="Let words with a common start match.")
    ] = False,
    merged: Annotated[
        bool, typer.Option("--merged", help="Keep 2-1 and 1-2 beads too, joined.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Pair the sentences of two versions of a text (Moore 2002).

    The sentences must come in the same order; either side may leave some out, split
    or join them. Files of the same name in two folders share one word model.

    Example: paraphrast corpora align-sentences modern.txt original.txt -o pairs.tsv
    """
    from paraphrast.corpora import sentence_alignment, write_pairs

    documents = sentence_alignment.read_documents(source, target)
    aligned = sentence_alignment.align_documents(documents, cognates=cognates)
    pairs = [
        pair
        for document, beads in zip(documents, aligned, strict=True)
        for pair in sentence_alignment.aligned_pairs(
            document, beads, threshold=threshold, merged=merged
        )
    ]
    write_pairs(pairs, output)
    counts = {
        "source_sentences": sum(len(b.sources) for beads in aligned for b in beads),
        "target_sentences": sum(len(b.targets) for beads in aligned for b in beads),
        "pairs": len(pairs),
    }
    if as_json:
        print(json.dumps(counts | {"output": str(output)}))
    else:
        print(
            f"{counts['pairs']:,} pairs of {counts['source_sentences']:,} source and "
            f"{counts['target_sentences']:,} target sentences -> {output}"
        )
