"""What several recipes can go without: one line where it is not on this machine."""

from collections.abc import Iterator

from paraphrast.judges.judge import LARGE


def report_large_judge() -> Iterator[str]:
    """Say how to get the large judge, if it is not here."""
    if not LARGE.expanduser().exists():
        yield (
            f"left out, figures by the large judge: {LARGE} does not exist. Build it "
            "as training/README.md says."
        )
