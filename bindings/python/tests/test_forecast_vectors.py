"""Every vector of test/vectors/forecast/ on the built engine, through this binding. Their format: README.md there."""

import json
from typing import Any

import pytest

from built_engine import VECTORS, engine_module
from stint import Engine, EngineError, ErrorCode

CASES: list[dict[str, Any]] = [
    case
    for path in sorted((VECTORS / "forecast").glob("*.json"))
    for case in json.loads(path.read_bytes())["cases"]
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.create(engine_module())


def test_there_are_many() -> None:
    assert len(CASES) >= 80


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_forecast_vector(engine: Engine, case: dict[str, Any]) -> None:
    question: dict[str, Any] | str = case["text"] if "text" in case else case["input"]
    if "refused" in case:
        with pytest.raises(EngineError) as refusal:
            engine.forecast(question, case["nowMs"])
        assert refusal.value.code == ErrorCode.BAD_JSON
        assert case["refused"] in str(refusal.value)
        return
    forecast = engine.forecast(question, case["nowMs"])
    assert _members(forecast, case["expect"]) == case["expect"]


def _members(found: Any, wanted: Any) -> Any:
    """Of objects, at any depth, only the members that are wanted."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        return {name: _members(found.get(name, "missing"), member) for name, member in wanted.items()}
    return found
