"""Every vector of test/vectors/account/ on the built engine, through this binding. Their format: README.md there."""

import json
from typing import Any

import pytest

from built_engine import VECTORS, engine_module
from stint import Engine, EngineError, ErrorCode

CASES: list[dict[str, Any]] = [
    case
    for path in sorted((VECTORS / "account").glob("*.json"))
    for case in json.loads(path.read_bytes())["cases"]
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.create(engine_module())


def test_there_are_many() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_account_vector(engine: Engine, case: dict[str, Any]) -> None:
    question: dict[str, Any] | str = case["text"] if "text" in case else case["input"]
    if "refused" in case:
        with pytest.raises(EngineError) as refusal:
            engine.account(question, case["nowMs"])
        assert refusal.value.code == ErrorCode.BAD_JSON
        assert case["refused"] in str(refusal.value)
        return
    account = engine.account(question, case["nowMs"])
    attempts = account["attempts"]
    wanted = case["expect"]["attempts"]
    assert account["last"] == case["expect"].get("last", account["last"])
    assert len(attempts) == len(wanted)
    for attempt, expected in zip(attempts, wanted, strict=True):
        assert {name: attempt.get(name, "missing") for name in expected} == expected
