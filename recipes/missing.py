"""Reports on optional parts of several recipes that this machine lacks."""

from collections.abc import Iterator

from paraphrast.judges.judge import LARGE


def report_large_judge() -> Iterator[str]:
    """Report how to get the large judge, if it is missing."""
    if not LARGE.expanduser().exists():
        yield (
            f"left out, figures by the large judge: {LARGE} does not exist. Build it "
            "as training/README.md says."
        )
