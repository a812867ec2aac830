"""A large teacher on a GPU: build it from its parts, tune it, ask it for candidates.

build    joins what `shrink.py` parted and writes a folder of transformers
tune     learns rows source, target, style as `paraphrast neural train` does, but all
         of a model of 1.4 billion weights, for so many seconds at most
sample   answers requests: lines of the text to read, the style, and perhaps the text
         that it stands for; writes candidates as they come, and stops in time

A tuned teacher reads ``style: text`` as every model here does (`prompts`); one that is
not yet tuned can be shown ``--shots``, a file of an instruction and a few examples,
which are read once for all requests. `Teacher` answers as `torch_engine` does.

Run    python teacher.py build --parts PARTS -o FOLDER
       python teacher.py tune --base FOLDER --rows FILE[@STYLE][~][*TIMES]... -o FOLDER
              --seconds 200               (~ swaps the sides of a file)
       python teacher.py sample --model FOLDER --requests FILE -o FILE --each 16
              --seconds 100 [--top-p 0.9] [--greedy] [--shots shots.json]
Needs  torch, safetensors, tokenizers, numpy, regex; one large GPU
"""

# ruff: noqa: T201, TID253
import argparse
import hashlib
import json
import math
import random
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import blocks
import numpy as np
import qwen
import tokenizers
import torch
from blocks import Blocks
from safetensors.numpy import load as load_arrays
from torch.nn import functional

from paraphrast.corpora.lines import read_lines
from paraphrast.neural.finetune import examples
from paraphrast.neural.finetune.batches import plan
from paraphrast.neural.finetune.examples import Source
from paraphrast.neural.models import folders
from paraphrast.neural.models.generation import Candidate, Decoding, ranked
from paraphrast.neural.models.prompts import Request

NAME = "teacher"
FILES = ("config.json", "tokenizer.json")
LONGEST = 256  # pieces of a side that is learnt
MOST_ROWS, MOST_PLACES = 6144, 900_000  # candidates and pieces at a time
LOOK = 8  # steps between looks at which rows have ended
DRAWS = 3
Numbers = tuple[list[int], list[int]]


def build(parts: Path, output: Path, device: str) -> None:
    """Write a folder of transformers from the parts of `shrink.py`."""
    data = b"".join(checked(parts))
    arrays = load_arrays(data)
    (size,) = np.frombuffer(data[:8], "<u8")
    kinds = json.loads(json.loads(data[8 : 8 + int(size)])["__metadata__"]["kinds"])
    making = output.with_name(f"{output.name}.making")
    making.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (making / name).write_bytes(arrays[f"file|{name}"].tobytes())
    weights = {
        name: blocks.numbers(Blocks(kind, tuple(shape), arrays[name]), device)
        .to(torch.bfloat16).cpu()
        for name, (kind, shape) in kinds.items()
    }  # fmt: skip
    qwen.save(weights, making)
    making.replace(output)


def checked(parts: Path) -> Iterator[bytes]:
    """Yield the parts in their order; each must have the sum that is told."""
    for line in read_lines(parts / f"{NAME}.sha256"):
        wanted, name = line.split()
        data = (parts / name).read_bytes()
        if hashlib.sha256(data).hexdigest() != wanted:
            raise SystemExit(f"{parts / name}: damaged on the way. Send it again.")
        yield data


def tune(
    sources: Sequence[Source],
    base: Path,
    output: Path,
    *,
    seconds: float,
    rate: float = 2e-5,
    device: str = "cuda",
    batch_pieces: int = 10_240,
    most_rows: int = 250_000,
    epochs: int = 1,
    held_out: int = 512,
    seed: int = 1,
) -> dict[str, Any]:
    """Learn for so long at most; write the model, and what it learnt from."""
    began = time.monotonic()
    torch.manual_seed(seed)
    cutter = Cutter(base)
    mixed = examples.mixed([(s, examples.read(s, tagged=True)) for s in sources], seed)
    random.Random(seed).shuffle(mixed)
    mixed = mixed[:most_rows]
    learned, held = examples.parted(mixed, min(held_out, len(mixed) // 10), seed)
    learner = Learner(qwen.load(base, device), rate)
    pairs, kept = cutter.pairs(learned), cutter.pairs(held)
    print(f"{len(pairs)} rows, {time.monotonic() - began:.0f} s", flush=True)
    lengths = [len(left) + len(right) for left, right in pairs]
    order = []
    for epoch in range(epochs):
        order += plan(lengths, batch_pieces, seed=seed, epoch=epoch)
    first, rows, step = learner.held_out(kept, batch_pieces), 0, 0
    for step, batch in enumerate(order, start=1):
        gone = (time.monotonic() - began) / seconds
        if gone >= 1:
            break
        loss = learner.fitting(
            [pairs[at] for at in batch], max(gone, step / len(order))
        )
        rows += len(batch)
        if step % 50 == 0:
            told = f"step {step} of {len(order)}, loss {float(loss):.3f}, rows {rows}"
            print(f"{told}, {gone * seconds:.0f} s", flush=True)
    record = {
        "base": base.name, "rate": rate, "seconds": seconds, "seed": seed,
        "epochs": epochs, "batch_pieces": batch_pieces,
        "sources": [f"{s.path.name} {s.style} x{s.times:g}" for s in sources],
        "rows": len(pairs), "rows learnt": rows, "steps": step,
        "held out": {"before": first, "after": learner.held_out(kept, batch_pieces)},
    }  # fmt: skip
    write(learner.model, base, output, record)
    print(json.dumps(record), f"{time.monotonic() - began:.0f} s", flush=True)
    return record


class Cutter:
    """Cuts many texts at once, into the same pieces as `prompts` does one by one."""

    def __init__(self, folder: Path) -> None:
        """Read the pieces of a model's folder."""
        given = folders.read(folder)
        self.cut = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.cut.encode_special_tokens = True  # their names in a text are text
        self.known = given.tokenizer
        self.end = self.known.vocabulary[given.end]
        self.stop = self.known.vocabulary["Ċ"]
        self.never = [
            self.known.vocabulary[s] for s in self.known.special - {given.end}
        ]

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the numbers of the pieces of texts, taken as they are."""
        return [one.ids for one in self.cut.encode_batch_fast(list(texts))]

    def sources(self, requests: Sequence[Request]) -> list[list[int]]:
        """Return what a tuned model reads of requests."""
        texts = [f" {r.style}: {' '.join(r.text.split())}" for r in requests]
        return [[*numbers, self.stop] for numbers in self.numbers(texts)]

    def pairs(self, found: Sequence[examples.Example]) -> list[Numbers]:
        """Return both sides of examples."""
        targets = self.numbers([f" {' '.join(one.target.split())}" for one in found])
        both = zip(self.sources([one.request for one in found]), targets, strict=True)
        return [(a[-LONGEST:], [*b[:LONGEST], self.end]) for a, b in both]

    def text(self, numbers: list[int]) -> str:
        """Return the text of pieces."""
        return " ".join(self.known.decode(self.known.names(numbers)).split())


def write(model: qwen.Qwen, base: Path, output: Path, record: dict[str, Any]) -> None:
    making = output.with_name(f"{output.name}.making")
    making.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copy(base / name, making / name)
    qwen.save(model.weights, making)
    (making / "training.json").write_text(json.dumps(record, indent=1), "utf-8")
    making.replace(output)


class Learner:
    """Learns with weights of 16 bits to compute with and of 32 to add up in."""

    def __init__(self, model: qwen.Qwen, rate: float) -> None:
        """Begin at these weights."""
        self.model, self.rate, self.steps = model, rate, 0
        self.used = list(model.weights.values())
        for weight in self.used:
            weight.requires_grad_(requires_grad=True)
        self.exact = [weight.detach().float().clone() for weight in self.used]
        on_gpu = model.device.type == "cuda"
        self.optimizer = torch.optim.AdamW(
            self.exact, lr=rate, betas=(0.9, 0.95), weight_decay=0.0, fused=on_gpu
        )

    def fitting(self, pairs: Sequence[Numbers], done: float) -> Any:
        """Learn a batch; in two halves where others have left too little memory."""
        try:
            return self.step(pairs, done)
        except torch.OutOfMemoryError:
            if len(pairs) == 1:
                raise
        for weight in self.used:
            weight.grad = None
        torch.cuda.empty_cache()
        self.step(pairs[::2], done)
        return self.step(pairs[1::2], done)

    def step(self, pairs: Sequence[Numbers], done: float) -> Any:
        """Learn a batch; the rate falls with the share of the run that is done."""
        self.steps += 1
        share = min(1.0, self.steps / 20) * max(0.05, 1 - done)
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * share
        loss = self.loss(pairs)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.used, 1.0)
        for weight, exact in zip(self.used, self.exact, strict=True):
            exact.grad, weight.grad = weight.grad.float(), None
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            torch._foreach_copy_(self.used, self.exact)
        return loss.detach()

    def loss(self, pairs: Sequence[Numbers]) -> Any:
        """Return the mean loss of the targets' pieces."""
        ids, wanted = collated(pairs)
        ids, wanted = ids.to(self.model.device), wanted.to(self.model.device)
        states = self.model.read(ids)[:, :-1][wanted[:, 1:]]
        return functional.cross_entropy(
            self.model.logits(states), ids[:, 1:][wanted[:, 1:]]
        )

    def held_out(self, pairs: Sequence[Numbers], batch_pieces: int) -> float:
        """Return the mean loss of pairs that are not learnt."""
        lengths = [len(left) + len(right) for left, right in pairs]
        total = 0.0
        with torch.no_grad():
            for batch in plan(lengths, batch_pieces, seed=1, epoch=0):
                total += float(self.loss([pairs[at] for at in batch])) * len(batch)
        return total / max(1, len(pairs))


def collated(pairs: Sequence[Numbers]) -> tuple[Any, Any]:
    """Return pieces, filled up on the right, and which of them are to be written."""
    width = max(len(left) + len(right) for left, right in pairs)
    width = -(-width // qwen.EVEN) * qwen.EVEN
    ids = np.zeros((len(pairs), width), np.int64)
    wanted = np.zeros((len(pairs), width), bool)
    for row, (left, right) in enumerate(pairs):
        ids[row, : len(left) + len(right)] = [*left, *right]
        wanted[row, len(left) : len(left) + len(right)] = True
    return torch.from_numpy(ids), torch.from_numpy(wanted)


@dataclass(eq=False)
class Shown:
    """What is shown to a teacher that is not tuned, before and after each text."""

    start: qwen.Cache
    after: list[int]


def shown(path: Path, cutter: Cutter, model: qwen.Qwen) -> Shown:
    """Read an instruction and examples, and let the model read them."""
    table = json.loads(path.read_text("utf-8"))
    turn = "<|im_start|>{}\n{}<|im_end|>\n"
    said = [turn.format("system", table["system"])]
    for text, answer in table["shots"]:
        said += [turn.format("user", text), turn.format("assistant", answer)]
    cutter.cut.encode_special_tokens = False
    ids = cutter.cut.encode("".join([*said, "<|im_start|>user\n"])).ids
    after = cutter.cut.encode("<|im_end|>\n<|im_start|>assistant\n").ids
    cutter.cut.encode_special_tokens = True
    start = qwen.Cache(torch.tensor([len(ids)], device=model.device), len(ids), 0)
    with torch.inference_mode():
        model.read(torch.tensor([ids], device=model.device), start)
    return Shown(start, after)


@dataclass(eq=False)
class Teacher:
    """A teacher to be asked; made by `load`."""

    model: qwen.Qwen
    cutter: Cutter
    shown: Shown | None = None

    def __post_init__(self) -> None:
        """Note the pieces that are never written."""
        self.never = torch.tensor(self.cutter.never, device=self.model.device)

    def candidates(
        self,
        requests: Sequence[Request],
        decoding: Decoding,
        *,
        seed: int = 1,
        seconds: float = math.inf,
    ) -> list[list[Candidate]]:
        """Return candidates of each request, the likeliest first; late ones none."""
        found: list[list[Candidate]] = [[] for _ in requests]
        for batch, answers in self.answers(requests, decoding, seed, seconds):
            for place, answer in zip(batch, answers, strict=True):
                found[place] = answer
        return found

    def answers(
        self, requests: Sequence[Request], decoding: Decoding, seed: int, seconds: float
    ) -> Iterator[tuple[list[int], list[list[Candidate]]]]:
        """Yield the places of some requests with their candidates, in random order."""
        began, count, pieces = time.monotonic(), 0, 0
        torch.manual_seed(seed)
        sources = self._sources(requests)
        limits = [decoding.most_pieces(len(source)) for source in sources]
        planned = self._planned(sources, limits, decoding.candidates)
        random.Random(seed).shuffle(planned)
        for batch in planned:
            if time.monotonic() - began >= seconds:
                return
            given = [sources[at] for at in batch], [limits[at] for at in batch]
            rows = self._fitting(*given, decoding)
            yield batch, [ranked(row) for row in rows]
            count += len(batch)
            pieces += sum(one.pieces for row in rows for one in row)
            gone = time.monotonic() - began
            speed = f"{pieces / gone:.0f} pieces/s, {gone:.0f} s"
            print(f"{count} of {len(requests)}, {speed}", flush=True)

    def _sources(self, requests: Sequence[Request]) -> list[list[int]]:
        if not self.shown:
            return self.cutter.sources(requests)
        texts = [" ".join(request.text.split()) for request in requests]
        return [[*own, *self.shown.after] for own in self.cutter.numbers(texts)]

    def _fitting(
        self, sources: list[list[int]], limits: list[int], decoding: Decoding
    ) -> list[list[Candidate]]:
        """Answer a batch; in two halves where others have left too little memory."""
        try:
            with torch.inference_mode():
                return self._batch(sources, limits, decoding)
        except torch.OutOfMemoryError:
            if len(sources) == 1:
                raise
        torch.cuda.empty_cache()
        half = len(sources) // 2
        first = self._fitting(sources[:half], limits[:half], decoding)
        return first + self._fitting(sources[half:], limits[half:], decoding)

    def _planned(
        self, sources: Sequence[list[int]], limits: Sequence[int], each: int
    ) -> list[list[int]]:
        """Return batches of like length, as large as there is room for."""
        before = self.shown.start.used if self.shown else 0
        order = sorted(range(len(sources)), key=lambda at: -len(sources[at]))
        found: list[list[int]] = []
        room = 0
        for at in order:
            if not found or len(found[-1]) >= room:
                places = before + len(sources[at]) + limits[at] + qwen.EVEN
                room = max(1, min(MOST_ROWS, MOST_PLACES // places) // each)
                found.append([])
            found[-1].append(at)
        return found

    def _batch(
        self, sources: Sequence[list[int]], limits: Sequence[int], decoding: Decoding
    ) -> list[list[Candidate]]:
        device, each = self.model.device, decoding.candidates
        lengths = torch.tensor([len(source) for source in sources], device=device)
        start = self.shown.start if self.shown else None
        before = start.used if start else 0
        width = -(-(before + int(lengths.max())) // qwen.EVEN) * qwen.EVEN - before
        ids = torch.tensor([s + [0] * (width - len(s)) for s in sources], device=device)
        cache = qwen.Cache(lengths, width, max(limits), each=each, start=start)
        states = self.model.read(ids, cache)
        states = states[torch.arange(len(sources), device=device), lengths - 1]
        most = torch.tensor(limits, device=device).repeat_interleave(each)
        writing = Writing(
            (before + lengths).repeat_interleave(each), most, self.cutter.end, cache
        )
        self._write(states.repeat_interleave(each, 0), writing, decoding)
        texts = writing.written.tolist()
        sums = writing.sums.tolist()
        made = [self._candidate(*one) for one in zip(texts, sums, strict=True)]
        return [made[at : at + each] for at in range(0, len(made), each)]

    def _write(self, states: Any, writing: "Writing", decoding: Decoding) -> None:
        for step in range(writing.longest):
            logits = self.model.logits(states)
            logits[:, self.never] = -math.inf
            chosen = drawn(logits, decoding)
            means = logits.gather(1, chosen[:, None])[:, 0] - logits.logsumexp(1)
            writing.add(step, chosen, means)
            if step % LOOK == LOOK - 1 and not writing.look():
                return
            if step + 1 < writing.longest:
                states = self.model.go_on(*writing.next(step), writing.cache)

    def _candidate(self, numbers: list[int], total: float) -> Candidate:
        end = self.cutter.end
        kept = numbers[: numbers.index(end)] if end in numbers else numbers
        return Candidate(self.cutter.text(kept), total, len(kept) + 1)


def drawn(logits: Any, decoding: Decoding) -> Any:
    """Return a piece for each row: the likeliest, or one of the nucleus.

    A piece belongs to the nucleus if those likelier than it have less than ``top_p``:
    so it is enough to draw from all and to refuse what does not belong; the few rows
    whose draws are all refused take the likeliest.
    """
    best = logits.argmax(1)
    if decoding.method == "greedy":
        return best
    chances = (logits / decoding.temperature).softmax(1)
    upto = chances.cumsum(1)
    spots = torch.rand(len(chances), DRAWS, device=chances.device) * upto[:, -1:]
    draws = torch.searchsorted(upto, spots, right=True).clamp(max=chances.shape[1] - 1)
    del upto
    chosen = best
    for draw in draws.unbind(1):
        own = chances.gather(1, draw[:, None])
        likelier = (chances * (chances > own)).sum(1)
        chosen = torch.where(likelier < decoding.top_p, draw, chosen)
    return chosen


class Writing:
    """What the rows of a batch have written so far; rows that ended are let go."""

    def __init__(self, lengths: Any, limits: Any, end: int, cache: qwen.Cache) -> None:
        """Begin with nothing written after prompts of these lengths."""
        self.cache, self.end, self.longest = cache, end, int(limits.max())
        self.written = torch.full(
            (len(lengths), self.longest), end, device=lengths.device
        )
        self.sums = torch.zeros(len(lengths), device=lengths.device)
        self.rows = torch.arange(len(lengths), device=lengths.device)
        self.lengths, self.limits = lengths, limits
        self.going = torch.ones_like(self.rows, dtype=torch.bool)

    def add(self, step: int, chosen: Any, means: Any) -> None:
        """Write a piece in every row that has not ended."""
        self.last = torch.where(self.going, chosen, self.end)
        self.written[self.rows, step] = self.last
        self.sums[self.rows] += means * self.going
        self.going = self.going & (chosen != self.end) & (step + 1 < self.limits)

    def look(self) -> bool:
        """Let rows go that have ended if there are many; say whether any is left."""
        left = int(self.going.sum())
        if 0 < left < 0.8 * len(self.going):
            kept = self.going.nonzero()[:, 0]
            self.cache.keep(kept)
            for name in ("rows", "lengths", "limits", "going", "last"):
                setattr(self, name, getattr(self, name)[kept])
        return left > 0

    def next(self, step: int) -> tuple[Any, Any]:
        """Return the pieces to read next, and where they stand."""
        return self.last, self.lengths + step


def load(folder: Path, device: str = "cuda", shots: Path | None = None) -> Teacher:
    """Open a teacher's folder to ask it."""
    model = qwen.load(folder, device)
    cutter = Cutter(folder)
    return Teacher(model, cutter, shown(shots, cutter, model) if shots else None)


def sample(options: argparse.Namespace) -> None:
    """Write candidates of the requests in a file."""
    rows = [line.split("\t") for line in read_lines(options.requests)]
    how: dict[str, Any] = {"method": "nucleus", "top_p": options.top_p}
    how |= {"candidates": options.each, "temperature": options.temperature}
    decoding = Decoding(**({} if options.greedy else how), longest=options.longest)
    teacher = load(options.model, options.device, options.shots)
    making = options.output.with_name(f"{options.output.name}.making")
    with making.open("w", encoding="utf-8") as file:
        ask(teacher, rows, decoding, file, seconds=options.seconds, seed=options.seed)
    making.replace(options.output)


def ask(
    teacher: Teacher,
    rows: Sequence[Sequence[str]],
    decoding: Decoding,
    file: TextIO,
    *,
    seconds: float,
    seed: int = 1,
) -> None:
    """Write the candidates of rows text, style and perhaps original as they come."""
    requests = [Request(row[0], row[1]) for row in rows]
    for batch, answers in teacher.answers(requests, decoding, seed, seconds):
        for place, answer in zip(batch, answers, strict=True):
            text, style, *original = rows[place]
            asked = [str(place), style, text, *(original or [text])]
            for one in answer:
                made = [one.text, f"{one.log_probability:.3f}", str(one.pieces)]
                file.write("\t".join([*asked, *made]) + "\n")
        file.flush()


def read_candidates(
    path: Path,
) -> tuple[list[Request], list[str], list[list[Candidate]]]:
    """Return the requests that were answered, what they stand for, and the answers."""
    found: dict[int, tuple[Request, str, list[Candidate]]] = {}
    for line in read_lines(path):
        number, style, source, original, text, total, pieces = line.split("\t")
        own = found.setdefault(int(number), (Request(source, style), original, []))
        own[2].append(Candidate(text, float(total), int(pieces)))
    kept = [found[number] for number in sorted(found)]
    return [k[0] for k in kept], [k[1] for k in kept], [k[2] for k in kept]


def source_of(text: str) -> Source:
    """Read ``FILE[@STYLE][~][*TIMES]``."""
    match = re.fullmatch(r"([^@~*]+)(?:@([\w-]+))?(~)?(?:\*([\d.]+))?", text)
    if not match:
        raise SystemExit(f"{text}: expected FILE[@STYLE][~][*TIMES].")
    path, style, swapped, times = match.groups()
    return Source(Path(path), style or "", float(times or 1), bool(swapped))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("build")
    one.add_argument("--parts", type=Path, required=True)
    two = verbs.add_parser("tune")
    two.add_argument("--base", type=Path, required=True)
    two.add_argument("--rows", type=source_of, action="append", required=True)
    two.add_argument("--rate", type=float, default=2e-5)
    two.add_argument("--epochs", type=int, default=1)
    two.add_argument("--pieces", type=int, default=10_240, help="in a batch")
    three = verbs.add_parser("sample")
    three.add_argument("--model", type=Path, required=True)
    three.add_argument("--requests", type=Path, required=True)
    three.add_argument("--each", type=int, default=16)
    three.add_argument("--top-p", type=float, default=0.9)
    three.add_argument("--temperature", type=float, default=1.0)
    three.add_argument("--longest", type=int, default=128)
    three.add_argument("--greedy", action="store_true")
    three.add_argument("--shots", type=Path)
    for verb in (two, three):
        verb.add_argument("--seconds", type=float, required=True)
        verb.add_argument("--seed", type=int, default=1)
    for verb in (one, two, three):
        verb.add_argument("-o", "--output", type=Path, required=True)
        verb.add_argument("--device", default="cuda")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    began = time.monotonic()
    if options.output.exists():
        print(f"{options.output}: done before", flush=True)
        return
    if options.verb == "build":
        build(options.parts, options.output, options.device)
    elif options.verb == "tune":
        tune(
            options.rows, options.base, options.output, seconds=options.seconds,
            rate=options.rate, epochs=options.epochs, batch_pieces=options.pieces,
            device=options.device, seed=options.seed,
        )  # fmt: skip
    else:
        sample(options)
    print(f"{options.verb} {options.output.name}: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
