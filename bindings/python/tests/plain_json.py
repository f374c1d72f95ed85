"""JSON as the vectors mean it, the same bytes in every language: compact, members in their order, whole numbers without
a point.
"""

import json
from typing import Any, TypeAlias

Json: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]


def parse(text: bytes | str) -> Json:
    return json.loads(text, parse_float=_parse_number)


def render(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def same(left: Json, right: Json) -> bool:
    """Equal, the order of members aside. Unlike ==, this tells True from 1."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def _parse_number(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number
