"""Columns of pandas: ``import paraphrast.adapters.pandas`` gives a Series an accessor.

``df["text"].paraphrast.rewrite(to="formal")`` is a Series with the same index, name and
missing values.
"""

from collections.abc import Iterable
from typing import Any

import paraphrast
from paraphrast import extras
from paraphrast.adapters.texts import Loaded, rewrite_texts
from paraphrast.rewriter import Rewrite

pandas = extras.require("pandas")


class TextAccessor:
    """The accessor ``.paraphrast`` of a Series of texts."""

    def __init__(self, series: Any) -> None:
        """Take the Series."""
        self._series = series

    def rewrite(
        self,
        to: str | Loaded,
        *,
        using: str | None = None,
        strength: float | None = None,
        seed: int = 1,
        protect: str | Iterable[str] = (),
    ) -> Any:
        """Return the texts in the style ``to``.

        ``to`` may also be a loaded rewriter; the other arguments are those of
        `paraphrast.rewrite`.
        """
        return self._as_series(
            self._rewrite(to, using, strength, seed=seed, protect=protect)
        )

    def explain(
        self,
        to: str | Loaded,
        *,
        using: str | None = None,
        strength: float | None = None,
        seed: int = 1,
        protect: str | Iterable[str] = (),
    ) -> Any:
        """Return a DataFrame with the texts in the style ``to`` and the reasons.

        Its columns are ``rewrite`` and ``why``, which is empty where a text changed.
        """
        rewrites = self._rewrite(to, using, strength, seed=seed, protect=protect)
        whys = [None if rewrite is None else rewrite.why for rewrite in rewrites]
        return pandas.DataFrame(
            {
                "rewrite": self._as_series(rewrites),
                "why": pandas.Series(whys, index=self._series.index, dtype=object),
            }
        )

    def _rewrite(
        self,
        to: str | Loaded,
        using: str | None,
        strength: float | None,
        *,
        seed: int,
        protect: str | Iterable[str],
    ) -> list[Rewrite | None]:
        loaded: Loaded = (
            paraphrast.load(to, using=using, strength=strength)
            if isinstance(to, str)
            else to
        )
        terms = (protect,) if isinstance(protect, str) else tuple(protect)
        return rewrite_texts(loaded, self._series, seed=seed, protect=terms)

    def _as_series(self, rewrites: list[Rewrite | None]) -> Any:
        series = self._series
        is_text = isinstance(series.dtype, pandas.StringDtype | pandas.ArrowDtype)
        values = [
            value if rewrite is None else rewrite.text
            for value, rewrite in zip(series, rewrites, strict=True)
        ]
        return pandas.Series(
            values,
            index=series.index,
            name=series.name,
            dtype=series.dtype if is_text else object,
        )


pandas.api.extensions.register_series_accessor("paraphrast")(TextAccessor)
