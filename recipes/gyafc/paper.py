"""The figures of Rao and Tetreault (2018): Tables 3 to 6 and 11 to 14.

Formality is their PT16 classifier's, fluency H14's (0 to 4), meaning HE15's; TERp is in
words, ours in per cent. PBMT is their PBMT Combined. The combined score of people to
informal is left out: it is on a scale of its own that the paper does not define.
"""

from collections.abc import Iterator

MUSIC, FAMILY = "Entertainment_Music", "Family_Relationships"
COLUMNS = ("formality", "fluency", "meaning", "BLEU", "TERp", "PINC")
_SYSTEMS = ("COPY", "REFERENCE", "rules", "PBMT", "NMT baseline", "NMT copy",
            "NMT combined")  # fmt: skip
_N = None  # not printed
_ROWS: dict[tuple[str, str], tuple[tuple[float | None, ...], ...]] = {
    (MUSIC, "formal"): (
        (-1.00, 2.89, _N, 50.69, 0.35, 0.00),
        (0.17, 3.32, 3.64, 100.0, 0.37, 69.79),
        (-0.34, 3.09, 4.41, 61.38, 0.27, 26.05),
        (0.00, 3.28, 4.19, 67.26, 0.26, 44.94),
        (0.07, 3.52, 3.89, 56.61, 0.38, 56.92),
        (0.10, 3.45, 3.87, 58.01, 0.38, 56.39),
        (0.00, 3.27, 4.20, 67.67, 0.26, 43.54),
    ),
    (FAMILY, "formal"): (
        (-0.80, 3.09, _N, 52.61, 0.34, 0.00),
        (0.22, 3.74, 3.54, 100.0, 0.37, 67.83),
        (-0.15, 3.26, 4.29, 68.17, 0.27, 26.89),
        (0.11, 3.48, 4.02, 74.32, 0.25, 44.77),
        (0.13, 3.56, 3.91, 69.09, 0.31, 51.00),
        (0.15, 3.55, 3.88, 69.41, 0.30, 50.93),
        (0.10, 3.45, 4.06, 74.60, 0.24, 41.52),
    ),
    (MUSIC, "informal"): (
        (0.26, 3.39, _N, 29.54, 0.83, 0.00),
        (-0.89, 3.00, 3.09, 100.0, 0.64, 81.14),
        (-0.88, 2.99, 3.95, 22.41, 0.85, 47.00),
        (-0.15, 3.32, 4.28, 32.66, 0.80, 37.38),
        (-0.61, 3.32, 3.90, 29.87, 0.83, 58.38),
        (-0.53, 3.30, 3.96, 31.29, 0.80, 55.42),
        (-0.39, 3.27, 4.12, 34.07, 0.78, 42.31),
    ),
    (FAMILY, "informal"): (
        (0.36, 3.49, _N, 28.64, 0.84, 0.00),
        (-0.87, 3.21, 3.25, 100.0, 0.65, 80.69),
        (-0.94, 2.93, 3.98, 19.56, 0.87, 45.95),
        (-0.19, 3.36, 4.43, 31.20, 0.82, 26.74),
        (-0.46, 3.34, 4.11, 34.69, 0.78, 48.68),
        (-0.36, 3.34, 4.14, 33.76, 0.78, 47.52),
        (-0.34, 3.33, 4.26, 33.57, 0.79, 36.76),
    ),
}
# Tables 5 and 11: the mean rank that people gave.
RANKS = {
    (MUSIC, "formal"): {"REFERENCE": 2.03, "PBMT": 2.47, "NMT combined": 2.48,
                        "rules": 2.54, "NMT copy": 3.03, "NMT baseline": 3.03},
    (FAMILY, "formal"): {"REFERENCE": 2.13, "PBMT": 2.38, "NMT combined": 2.38,
                         "rules": 2.56, "NMT copy": 2.72, "NMT baseline": 2.79},
    (MUSIC, "informal"): {"PBMT": 2.33, "NMT combined": 2.40, "rules": 2.44,
                          "REFERENCE": 2.52, "NMT copy": 2.69, "NMT baseline": 2.72},
    (FAMILY, "informal"): {"rules": 2.24, "PBMT": 2.28, "NMT combined": 2.36,
                           "REFERENCE": 2.44, "NMT baseline": 2.50, "NMT copy": 2.53},
}  # fmt: skip
# Tables 4, 13 and 14: the mean formality (-3 to 3), fluency (1 to 5), meaning (1 to 6)
# and combined score that people gave.
MARKS: dict[tuple[str, str], dict[str, tuple[float | None, ...]]] = {
    (MUSIC, "formal"): {
        "COPY": (-1.23, 3.90, _N, _N),
        "REFERENCE": (0.38, 4.45, 4.57, 5.68),
        "rules": (-0.59, 4.00, 4.85, 5.24),
        "PBMT": (-0.19, 3.96, 4.64, 5.27),
        "NMT baseline": (0.05, 4.05, 3.55, 4.96),
        "NMT copy": (0.02, 4.07, 3.48, 4.93),
        "NMT combined": (-0.16, 4.09, 4.46, 5.32),
    },
    (FAMILY, "formal"): {
        "COPY": (-0.90, 3.92, _N, _N),
        "REFERENCE": (0.41, 4.43, 4.56, 5.68),
        "rules": (-0.18, 4.08, 4.82, 5.41),
        "PBMT": (0.05, 4.15, 4.65, 5.45),
        "NMT baseline": (0.19, 4.18, 3.88, 5.20),
        "NMT copy": (0.33, 4.21, 3.97, 5.30),
        "NMT combined": (0.20, 4.27, 4.69, 5.57),
    },
    (MUSIC, "informal"): {
        "COPY": (0.73, 4.50, _N, _N),
        "REFERENCE": (-0.88, 4.00, 3.92, _N),
        "rules": (-0.96, 3.92, 4.80, _N),
        "PBMT": (-0.16, 4.15, 4.56, _N),
        "NMT baseline": (-0.59, 3.94, 3.55, _N),
        "NMT copy": (-0.53, 3.98, 3.53, _N),
        "NMT combined": (-0.34, 4.08, 4.32, _N),
    },
    (FAMILY, "informal"): {
        "COPY": (0.73, 4.47, _N, _N),
        "REFERENCE": (-0.60, 4.09, 3.82, _N),
        "rules": (-1.05, 3.89, 4.46, _N),
        "PBMT": (-0.17, 4.18, 4.45, _N),
        "NMT baseline": (-0.16, 4.08, 3.80, _N),
        "NMT copy": (-0.19, 4.08, 3.74, _N),
        "NMT combined": (-0.12, 4.17, 4.22, _N),
    },
}
# Tables 6 and 12: Spearman's correlation of an automatic measure with people's marks,
# in E&M and in F&R.
CORRELATIONS = {
    "formal": {
        ("formality", "formality"): (0.47, 0.45),
        ("fluency", "fluency"): (0.48, 0.46),
        ("meaning", "meaning"): (0.33, 0.30),
        ("bleu", "rank"): (-0.48, -0.43),
        ("terp", "rank"): (0.31, 0.30),
        ("pinc", "rank"): (0.11, 0.08),
    },
    "informal": {
        ("formality", "formality"): (0.55, 0.57),
        ("fluency", "fluency"): (0.46, 0.43),
        ("meaning", "meaning"): (0.28, 0.28),
        ("bleu", "rank"): (-0.10, -0.01),
        ("terp", "rank"): (0.06, 0.02),
        ("pinc", "rank"): (0.17, 0.15),
    },
}
# Table 3: pairs for training; for tuning and testing to formal and to informal.
SIZES = {
    MUSIC: (52_595, (2_877, 2_356), (1_416, 1_082)),
    FAMILY: (51_967, (2_788, 2_247), (1_332, 1_019)),
}


def figures() -> Iterator[tuple[str, str, str, str, float]]:
    """Yield domain, direction, system, measure and the printed figure.

    TERp is converted to per cent, as ours is.
    """
    for (domain, to), rows in _ROWS.items():
        for system, values in zip(_SYSTEMS, rows, strict=True):
            for measure, value in zip(COLUMNS, values, strict=True):
                if value is not None:
                    shown = round(100 * value, 2) if measure == "TERp" else value
                    yield domain, to, system, measure, shown
        for system, rank in RANKS[domain, to].items():
            yield domain, to, system, "rank", rank
