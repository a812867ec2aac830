"""Back-translated paraphrases, as in ParaNMT.

A sentence of a parallel corpus and the translation of its other side mean the same in
different words. Reads lines ``English TAB French``, writes ``English TAB English``,
sorted by length so that batches are full. An existing file is continued.

Run    python -m training.rewriter.back_translation --model opus-fr-en \\
           --mirror FOLDER -o made.tsv
Needs  the model as a CTranslate2 folder with its .spm files (build_default_pack.sh);
       15 sentences per second on two cores, thousands on a GPU (--device cuda)
"""

import argparse
import random
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from paraphrast.corpora import read_lines
from paraphrast.text.normalisation import straighten

FILES = ("bilingual/europarl.en-fr.tsv.xz", "bilingual/tatoeba.en-fra.tsv.xz")
SHORTEST, LONGEST, CHUNK, SEED = 4, 24, 1024, 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--most", type=int, default=200_000)
    parser.add_argument("--beam", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1e9, help="then stop")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    rows = list(islice(bitext(options.mirror), options.most))
    done = sum(1 for _ in read_lines(options.output)) if options.output.exists() else 0
    translate = translator(options)
    begin = time.time()
    with options.output.open("a", encoding="utf-8", newline="\n") as file:
        for start in range(done, len(rows), CHUNK):
            if time.time() - begin > options.seconds:
                break
            chunk = rows[start : start + CHUNK]
            made = translate([french for _, french in chunk])
            for (english, _), text in zip(chunk, made, strict=True):
                file.write(f"{english}\t{text}\n")
            file.flush()
            count = start + len(chunk) - done
            print(
                f"{start + len(chunk)} {count / (time.time() - begin):.0f}/s",
                flush=True,
            )


def bitext(mirror: Path) -> Iterator[tuple[str, str]]:
    """Yield pairs of fair length, one for each English sentence, shuffled."""
    rows: dict[str, str] = {}
    for name in FILES:
        for line in read_lines(mirror / name):
            english, french = (
                " ".join(straighten(t).split()) for t in line.split("\t")[:2]
            )
            # In Europarl an apostrophe is often written as a quotation mark.
            english, french = (repair_apostrophes(text) for text in (english, french))
            short = SHORTEST if "europarl" in name else SHORTEST + 4
            if short <= len(english.split()) <= LONGEST:
                rows.setdefault(english, french)
    result = sorted(rows.items())
    random.Random(SEED).shuffle(result)
    return iter(result)


def repair_apostrophes(text: str) -> str:
    """Return the text with ``Parliament"s`` and ``l"article`` repaired."""
    tokens = text.split('"')
    joined = tokens[0]
    for token in tokens[1:]:
        inside = joined[-1:].isalpha() and token[:1].isalpha()
        joined += ("'" if inside else '"') + token
    return joined


def translator(options: argparse.Namespace):  # type: ignore[no-untyped-def]
    import ctranslate2
    import sentencepiece

    source, target = (
        sentencepiece.SentencePieceProcessor(str(options.model / f"{side}.spm"))
        for side in ("source", "target")
    )
    model = ctranslate2.Translator(
        str(options.model), device=options.device, intra_threads=options.threads
    )

    def translate(texts: list[str]) -> list[str]:
        tokens = [[*source.encode(text, out_type=str), "</s>"] for text in texts]
        results = model.translate_batch(
            tokens,
            beam_size=options.beam,
            max_batch_size=64 if options.device == "cpu" else 512,
            max_decoding_length=64,
        )
        return [" ".join(target.decode(r.hypotheses[0]).split()) for r in results]

    return translate


if __name__ == "__main__":
    main()
