"""Name a metric and its settings in one string, as the command line does.

``bleu`` is the metric with its defaults; ``bleu:tokenize=none,lowercase=true`` sets
two fields of its dataclass. Names, types and checks are those of the dataclass, so a
plugin's metric is chosen in the same way.
"""

import inspect
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from paraphrast import registry
from paraphrast.config import build
from paraphrast.errors import ParaphrastError
from paraphrast.metrics.base import Metric


def choose(text: str) -> Metric:
    """Return the metric that ``NAME`` or ``NAME:SETTING=VALUE,…`` describes."""
    name, _, listed = text.partition(":")
    name = name.strip()
    kind = registry.find("metrics", name)
    hints = get_type_hints(kind)
    table = {}
    for part in filter(None, (part.strip() for part in listed.split(","))):
        key, equals, value = (side.strip() for side in part.partition("="))
        if not equals:
            raise ParaphrastError(
                f"{text}: {part!r} is not a setting. Write it as {name}:SETTING=VALUE."
            )
        table[key] = _parse_value(value, hints.get(key, str))
    return cast(Metric, build(table, kind, where=name))


def describe(name: str, kind: type[Metric]) -> dict[str, object]:
    """Describe a metric for the list of metrics.

    Requirements that depend on the settings are not listed.
    """
    needs: object = kind.needs
    return {
        "name": name,
        "summary": (inspect.getdoc(kind) or "").partition("\n")[0],
        "needs": sorted(needs) if isinstance(needs, frozenset) else [],
        "settings": [field.name for field in fields(kind)],  # type: ignore[arg-type]
    }


def _parse_value(text: str, hint: Any) -> Any:
    """Parse a value by type; an unparsable one stays a string."""
    for kind in get_args(hint) if get_origin(hint) is UnionType else (hint,):
        if kind is bool and text.lower() in _BOOLEANS:
            return _BOOLEANS[text.lower()]
        if get_origin(kind) is Literal:
            return next((v for v in get_args(kind) if str(v) == text), text)
        if kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
    return text


_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
