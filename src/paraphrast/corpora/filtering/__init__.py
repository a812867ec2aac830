"""Keep pairs that are useful for training a paraphraser: STRAP's filters.

`Pipeline` holds the thresholds (`stages`), `filter_files` runs it over files (`run`)
and answers with a `Report` like the paper's Table 8. Pairs in memory are judged by
`judge`. docs/filtering.md explains each stage and what it drops on real corpora.
"""

from paraphrast.corpora.filtering.report import Report
from paraphrast.corpora.filtering.run import filter_files
from paraphrast.corpora.filtering.stages import (
    Pipeline,
    Similarity,
    change_thresholds,
    judge,
)

__all__ = [
    "Pipeline",
    "Report",
    "Similarity",
    "filter_files",
    "judge",
    "change_thresholds",
]
