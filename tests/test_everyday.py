"""The everyday corpus in the repository: whole, parallel, and split by its own rule."""

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "corpora" / "everyday"
STYLES = [
    *("plain", "formal", "informal", "polite", "simple", "concise", "shakespeare"),
    *("bible", "poetry", "prose-1810", "prose-1890", "joyce", "tweet", "conversation"),
]
KINDS = {
    *("negation", "actor", "number", "order", "condition", "degree", "content"),
    *("omission", "addition", "mood", "quotation", "tense", "same"),
}


def rows(name):
    lines = (FOLDER / name).read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


@pytest.fixture(scope="module")
def texts():
    return {row["id"]: row for row in rows("texts.jsonl")}


def digits(text):
    return sorted(re.findall(r"\d+(?:[.,:]\d+)*", text))


def bucket(text):
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def test_every_text_has_every_version_with_the_same_numbers(texts):
    assert len(texts) == len(rows("texts.jsonl"))
    for row in texts.values():
        assert list(row["versions"]) == STYLES
        numbers = {tuple(digits(version)) for version in row["versions"].values()}
        assert len(numbers) == 1, row["versions"]["plain"]
        assert len(row["versions"]["tweet"]) <= 280


def test_the_split_follows_from_the_plain_text_alone(texts):
    for row in texts.values():
        share = bucket(row["versions"]["plain"]) % 100
        expected = "train" if share < 80 else "dev" if share < 85 else "judges"
        assert row["split"] == expected


def test_no_plain_text_stands_twice(texts):
    plain = Counter(row["versions"]["plain"].lower() for row in texts.values())
    assert [text for text, count in plain.items() if count > 1] == []


def test_the_contrast_set_names_a_kind_and_belongs_to_one_half(texts):
    for row in rows("contrast.jsonl"):
        source = texts[row["id"]]["versions"]
        assert row["kind"] in KINDS
        assert row["text"] not in source.values()
        odd = bucket(f"contrast:{source['plain']}") % 2
        assert row["half"] == ("judges" if odd else "guards")


def test_documents_keep_numbers_and_come_in_three_older_styles():
    older = set(STYLES[6:12])
    for row in rows("documents.jsonl"):
        versions = row["versions"]
        assert set(STYLES[:6]) <= set(versions)
        assert len(older & set(versions)) == 3
        assert len({tuple(digits(version)) for version in versions.values()}) == 1
