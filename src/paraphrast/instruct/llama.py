"""Run a GGUF model with an adapter by llama.cpp, one text at a time, reproducibly.

The last digits of llama.cpp's results depend on how many tokens it reads at once, and
so on its cached prompt. To make a text's rewrite independent of earlier texts, the
instruction of a style is always read separately and cached, every text is read after
it, and samples continue from a prompt that was read in this way.
"""

import atexit
import os
import platform
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from paraphrast.config import count_threads
from paraphrast.errors import ParaphrastError
from paraphrast.extras import require

CPU = Path("/proc/cpuinfo")
CONTEXT = 1024  # tokens of a prompt and its answer
MOST_THREADS = 8
REMEMBERED = 1024  # answers: the best one is asked for again with its alternatives
MOST_TOKENS = 360  # that are written
# A special token's name in a text is text: this is how it is kept from being read so.
SPECIAL, BROKEN = "<|", "< |"
BEFORE, AFTER = "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"
MARKS = "~^"  # either of which stands for a text
# How long a thread waits awake for the others: with the default, threads that share
# their cores with other programs take ten times as long.
SPINS = "1000"


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings of nucleus sampling."""

    seed: int
    temperature: float = 0.8
    top_p: float = 0.9


@dataclass(frozen=True, slots=True)
class Written:
    """A model's output, its log-probability and number of tokens.

    It is not ``finished`` if it was truncated at the maximum length.
    """

    text: str
    log_probability: float
    tokens: int
    finished: bool


@lru_cache(maxsize=1)
def open_model(base: Path, adapter: Path, sha256: str) -> "Llama":
    """Return a model, which all styles share until its files change."""
    return Llama(base, adapter)


class Llama:
    """A model that is asked by an instruction and a text."""

    def __init__(self, base: Path, adapter: Path) -> None:
        """Load a base model and its adapter; this takes seconds and 1.8 GB."""
        require_processor()
        xllamacpp = _import()
        socket = _make_folder() / "llama.sock"  # in place of a port on the network
        parameters = _make_parameters(xllamacpp, base, adapter, socket)
        try:
            self._server = xllamacpp.Server(parameters)
        except RuntimeError as error:
            raise ParaphrastError(
                f"cannot load {base} with {adapter.name}: {error}. Remove the pack and "
                "fetch it again."
            ) from error
        self._lock = threading.Lock()
        self._instruction = ""  # that is read and kept
        self._text = ""  # that stands behind it, if only its first letter
        self.write = lru_cache(REMEMBERED)(self._write)

    def _write(
        self,
        instruction: str,
        text: str,
        sampling: Sampling | None = None,
    ) -> Written:
        """Return the likeliest answer to an instruction and a text, or a sample."""
        given = text.replace(SPECIAL, BROKEN)
        with self._lock:
            if sampling is None or self._text != given:
                self._keep_instruction(instruction, given)
            prompt = f"{BEFORE}{instruction}{given}{AFTER}"
            if sampling is not None and self._text != given:
                self._ask(prompt, max_tokens=0)
            self._text = given
            answer = self._ask(
                prompt, max_tokens=_limit(text), n_probs=1, **_draw(sampling)
            )
        return _read(answer)

    def _keep_instruction(self, instruction: str, text: str) -> None:
        """Make the model read the instruction, and nothing of the text."""
        same = self._instruction == instruction
        if same and self._text.encode()[:1] != text.encode()[:1]:
            return
        mark = next(mark for mark in MARKS if not text.startswith(mark))
        self._ask(f"{BEFORE}{instruction}{mark}", max_tokens=0, cache_prompt=same)
        self._instruction, self._text = instruction, mark

    def _ask(self, prompt: str, **more: Any) -> dict[str, Any]:
        request = {"prompt": prompt, "cache_prompt": True, "temperature": 0.0}
        answer: dict[str, Any] = self._server.handle_completions(request | more)
        if "choices" not in answer:
            message = answer.get("error", answer)
            raise RuntimeError(f"llama.cpp refused the text: {message}")
        return answer


def require_processor() -> None:
    """Refuse a processor that the compiled code would crash on."""
    if platform.machine() not in ("x86_64", "AMD64") or not CPU.is_file():
        return
    flags = CPU.read_text("utf-8", errors="replace").partition("flags")[2]
    lacking = {"avx2", "fma"}.difference(flags.partition("\n")[0].split())
    if lacking:
        raise ParaphrastError(
            f"this processor has no {' and '.join(sorted(lacking)).upper()}, which "
            "`large` needs. Use the default rewriter."
        )


def _import() -> Any:
    """Import xllamacpp, setting the wait policy of its threads while it loads."""
    with _environment("GOMP_SPINCOUNT", SPINS):
        return require("xllamacpp")


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """Set an environment variable temporarily, unless the user has set it."""
    if name in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


def _make_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="paraphrast-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _make_parameters(xllamacpp: Any, base: Path, adapter: Path, socket: Path) -> Any:
    lora = xllamacpp.CommonAdapterLoraInfo()
    lora.path, lora.scale = str(adapter), 1.0
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(base)
    parameters.lora_adapters = [lora]
    parameters.hostnames = [str(socket)]
    parameters.n_ctx = CONTEXT
    parameters.n_batch = parameters.n_ubatch = CONTEXT // 4
    parameters.n_parallel = 1
    parameters.cache_ram_mib = 0
    parameters.warmup = parameters.fit_params = False
    parameters.verbosity = -1
    threads = min(MOST_THREADS, count_threads())
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    return parameters


def _limit(text: str) -> int:
    """Return how many tokens an answer may have."""
    return min(MOST_TOKENS, 40 + len(text.encode()) * 2 // 3)


def _draw(sampling: Sampling | None) -> dict[str, Any]:
    if sampling is None:
        return {}
    return {
        "seed": sampling.seed,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": 0,
        "min_p": 0.0,
    }


def _read(answer: dict[str, Any]) -> Written:
    choice = answer["choices"][0]
    tokens = (choice.get("logprobs") or {}).get("content", ())
    return Written(
        " ".join(choice["text"].split()).replace(BROKEN, SPECIAL),
        sum(token["logprob"] for token in tokens),
        max(1, len(tokens)),
        choice["finish_reason"] != "length",
    )
