"""Errors that help, strict settings, the registry, and whole-or-nothing writing."""

import errno
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

from paraphrast import config, errors, registry
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.storage import atomic


@dataclass(frozen=True)
class Optimizer:
    learning_rate: float = 1e-3

    def __post_init__(self) -> None:
        if self.learning_rate <= 0:
            raise ValueError(
                f"learning_rate must be positive, not {self.learning_rate}."
            )


@dataclass(frozen=True)
class Training:
    name: str
    epochs: int = 5
    unit: Literal["word", "byte"] = "word"
    files: tuple[Path, ...] = ()
    limit: int | None = None
    side: Literal["left", "right"] | None = None
    optimizer: Optimizer = field(default_factory=Optimizer)


def read(tmp_path, text):
    path = tmp_path / "train.toml"
    path.write_text(text, "utf-8")
    return config.load(path, Training)


def test_settings_become_a_dataclass(tmp_path):
    text = 'name = "a"\nfiles = ["x", "y"]\nlimit = 3\noptimizer.learning_rate = 1\n'
    assert read(tmp_path, text) == Training(
        "a", files=(Path("x"), Path("y")), limit=3, optimizer=Optimizer(1.0)
    )


def test_an_optional_choice_may_be_omitted(tmp_path):
    assert read(tmp_path, 'name = "a"\nside = "left"').side == "left"
    assert read(tmp_path, 'name = "a"').side is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "a"\nepoch = 3', "unknown setting 'epoch'. Did you mean 'epochs'?"),
        ('name = "a"\nepochs = "3"', "epochs: expected int, found '3'"),
        ('name = "a"\nepochs = true', "epochs: expected int, found True"),
        ('name = "a"\nunit = "wrd"', "Did you mean 'word'?"),
        ('name = "a"\nside = "rigth"', "Did you mean 'right'?"),
        ('name = "a"\nfiles = ["x", 3]', "files[1]: expected Path, found 3"),
        ('name = "a"\n[optimizer]\nlearning_rate = -1', "must be positive, not -1.0"),
        ("epochs = 3", "missing setting 'name'"),
        ("name = ", "not valid TOML"),
    ],
)
def test_wrong_settings_are_refused_with_the_file_and_a_remedy(tmp_path, text, message):
    with pytest.raises(ParaphrastError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)
    assert "train.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(ParaphrastError, match="cannot read"):
        config.load(tmp_path / "none.toml", Training)


def test_an_unknown_name_gets_a_hint_only_when_one_is_near():
    assert "Did you mean 'exp'?" in str(unknown("smoothing", "expo", ["exp", "floor"]))
    assert "Did you mean" not in str(unknown("smoothing", "zzz", ["exp", "floor"]))


def test_every_built_in_part_can_be_loaded():
    for group in ("rewriters", "metrics", "formats"):
        assert registry.names(group), f"no {group} registered"
        for name in registry.names(group):
            assert registry.find(group, name) is not None


def test_an_unknown_part_or_group_is_refused():
    with pytest.raises(ParaphrastError, match="Did you mean 'bleu'"):
        registry.find("metrics", "blue")
    with pytest.raises(ParaphrastError, match="Did you mean 'metrics'"):
        registry.names("metric")


def test_what_is_installed_is_read_once_for_each_path(tmp_path, monkeypatch):
    registry.names("metrics")
    monkeypatch.setattr(registry, "entry_points", None)  # nothing is read again
    assert "bleu" in registry.names("metrics")
    monkeypatch.undo()
    (tmp_path / "more-1.0.dist-info").mkdir()
    entries = tmp_path / "more-1.0.dist-info" / "entry_points.txt"
    entries.write_text("[paraphrast.metrics]\nmore = more:More\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert {"bleu", "more"} <= set(registry.names("metrics"))
    monkeypatch.undo()
    assert "more" not in registry.names("metrics")


def test_a_file_appears_only_when_the_block_ends_well(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old", "utf-8")
    with pytest.raises(KeyboardInterrupt), atomic.writer(path) as file:
        file.write("half")
        raise KeyboardInterrupt
    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]
    with atomic.writer(path) as file:
        file.write("caf\u00e9\udcff\n")
    assert path.read_bytes() == b"caf\xc3\xa9\xff\n"


def test_a_full_disk_is_one_line_and_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old", "utf-8")
    with pytest.raises(ParaphrastError, match="No space left"):
        with atomic.writer(path):
            raise OSError(errno.ENOSPC, "No space left on device")
    assert path.read_text("utf-8") == "old"


def test_a_missing_folder_is_one_line(tmp_path):
    with pytest.raises(ParaphrastError, match="cannot write"):
        with atomic.writer(tmp_path / "no" / "out.txt"):
            pass


def test_a_pipe_or_a_folder_is_never_replaced(tmp_path):
    # Not a real device: whoever breaks this as root would lose it.
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "pipe", tmp_path / "folder"):
        with pytest.raises(ParaphrastError, match="not a regular file"):
            with atomic.writer(path):
                pass
        assert not path.is_file()


def test_threads_are_those_asked_for_or_one_per_allowed_core(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert config.count_threads() == 3
    for nothing in ("", "0", "4,2"):
        monkeypatch.setenv("OMP_NUM_THREADS", nothing)
        assert config.count_threads() == len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Ranges:
    epochs: int = 1
    clip: float = 1.0
    share: float = 0.0
    steps: int = 0

    def __post_init__(self) -> None:
        config.check_ranges(
            self,
            counts=["epochs"],
            positive=["clip"],
            shares=["share"],
            natural=["steps"],
        )


@pytest.mark.parametrize(
    ("given", "bound"),
    [
        ({"epochs": 0}, "epochs must be 1 or more, not 0"),
        ({"clip": 0.0}, "clip must be above 0, not 0.0"),
        ({"share": 1.0}, "share must be at least 0 and below 1, not 1.0"),
        ({"share": -0.1}, "share must be at least 0 and below 1"),
        ({"steps": -1}, "steps must be 0 or more, not -1"),
    ],
)
def test_a_setting_out_of_range_is_named_with_its_bound(given, bound):
    with pytest.raises(ParaphrastError, match=f"a.toml: {bound}"):
        config.build(given, Ranges, where="a.toml")
    assert config.build({"share": 0.99}, Ranges, where="a.toml").steps == 0


def test_a_lack_of_memory_says_what_to_give_up():
    with pytest.raises(ParaphrastError, match="not enough memory.*Give less"):
        with errors.explain_lack_of_memory("Give less."):
            raise MemoryError
