"""Settings: read a TOML file as a frozen dataclass, with helpful errors, and write one.

The dataclass alone defines names, types and defaults. An unknown key is refused with
the nearest known one; a value of the wrong type is refused with the expected type.
Checks across fields belong in ``__post_init__`` and raise ``ValueError``; nothing else
validates settings again.

Only the number of threads is taken from the environment: `count_threads`.
"""

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from paraphrast.errors import ParaphrastError, unknown

Settings = TypeVar("Settings")

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def load(path: Path, kind: type[Settings]) -> Settings:
    """Read a TOML file as one ``kind``."""
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ParaphrastError(f"cannot read {path}: {error}.") from error
    except tomllib.TOMLDecodeError as error:
        raise ParaphrastError(f"{path}: not valid TOML: {error}.") from error
    return build(table, kind, where=str(path))


def check_ranges(
    settings: object,
    *,
    counts: Iterable[str] = (),
    positive: Iterable[str] = (),
    shares: Iterable[str] = (),
    natural: Iterable[str] = (),
) -> None:
    """Refuse settings, given by name, that lie out of range.

    Counts are 1 or more, positive ones above 0, shares from 0 to below 1, and natural
    ones 0 or more.
    """
    ranges: tuple[tuple[Iterable[str], str, Callable[[float], bool]], ...] = (
        (counts, "1 or more", lambda value: value >= 1),
        (positive, "above 0", lambda value: value > 0),
        (shares, "at least 0 and below 1", lambda value: 0 <= value < 1),
        (natural, "0 or more", lambda value: value >= 0),
    )
    for names, bound, fits in ranges:
        for name in names:
            value = getattr(settings, name)
            if not fits(value):
                raise ValueError(f"{name} must be {bound}, not {value}.")


def build(table: Mapping[str, Any], kind: type[Settings], *, where: str) -> Settings:
    """Turn a table into one ``kind``; ``where`` is the prefix of errors."""
    if not is_dataclass(kind):
        raise TypeError(f"{kind!r} is not a dataclass")
    settings = {field.name: field for field in fields(kind)}
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in settings:
            raise ParaphrastError(f"{where}: {unknown('setting', key, settings)}")
        values[key] = _value(value, hints[key], where=f"{where}: {key}")
    missing = [
        name
        for name, field in settings.items()
        if name not in values
        and field.default is MISSING
        and field.default_factory is MISSING
    ]
    if missing:
        raise ParaphrastError(f"{where}: missing setting {missing[0]!r}. Add it.")
    try:
        return kind(**values)
    except ValueError as error:
        raise ParaphrastError(f"{where}: {error}") from error


def _value(value: Any, hint: Any, *, where: str) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):  # the former of a Literal or None
        hint = next(a for a in arguments if a is not NoneType)
        return _value(value, hint, where=where)
    if is_dataclass(hint) and isinstance(hint, type) and isinstance(value, dict):
        return build(value, hint, where=where)
    if origin is Literal:
        if value in arguments:
            return value
        raise ParaphrastError(f"{where}: {unknown('value', str(value), arguments)}")
    if origin in (tuple, list) and isinstance(value, list):
        items = [
            _value(v, arguments[0], where=f"{where}[{i}]") for i, v in enumerate(value)
        ]
        return origin(items)
    if origin is dict and isinstance(value, dict):
        return {
            k: _value(v, arguments[1], where=f"{where}.{k}") for k, v in value.items()
        }
    return _scalar(value, hint, where=where)


def _scalar(value: Any, hint: Any, *, where: str) -> Any:
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint is Path and isinstance(value, str):
        return Path(value)
    if hint is Any or (isinstance(hint, type) and type(value) is hint):
        return value
    expected = getattr(hint, "__name__", str(hint))
    raise ParaphrastError(f"{where}: expected {expected}, found {value!r}.")


def count_threads() -> int:
    """Return how many threads to use: ``OMP_NUM_THREADS``, or one per allowed core.

    Schedulers and Ray set that variable for processes that share a machine.
    """
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return int(asked) if asked.isdigit() and int(asked) else count_cores()


def count_cores() -> int:
    """Return how many processor cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def toml(table: Mapping[str, Any]) -> str:
    """Return a table as TOML, without loss; ``None`` values are left out.

    Values are strings, booleans, whole numbers, floats, tables of these, and lists.
    """
    return "\n".join(_lines(table, ())).lstrip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    given = {key: value for key, value in table.items() if value is not None}
    tables = {key: value for key, value in given.items() if _is_tables(value)}
    for key, value in given.items():
        if key not in tables:
            yield f"{_key(key)} = {_format_value(value)}"
    for key, value in tables.items():
        name = ".".join(map(_key, (*path, key)))
        for item in [value] if isinstance(value, Mapping) else value:
            yield f"\n[{name}]" if isinstance(value, Mapping) else f"\n[[{name}]]"
            yield from _lines(item, (*path, key))


def _is_tables(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(item, Mapping) for item in value)
    return isinstance(value, Mapping)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _string(key)


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)  # TOML also says inf and nan
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_format_value, value))}]"
    if isinstance(value, Mapping):
        items = (f"{_key(key)} = {_format_value(item)}" for key, item in value.items())
        return f"{{{', '.join(items)}}}"
    return _string(str(value))


def _string(text: str) -> str:
    # TOML's escapes are JSON's, but for characters beyond 16 bits and DEL.
    quoted = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    return re.sub("[\ud800-\udfff]", "\ufffd", quoted)
