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
    wanted = case["expect"]
    assert account["last"] == wanted.get("last", account["last"])
    assert account["sentence"] == wanted.get("sentence", account["sentence"])
    assert_members(account["next"], wanted.get("next", {}))
    for name in ("attempts", "holds", "remedies"):
        items = account[name]
        expected = wanted.get(name, [{}] * len(items))
        assert len(items) == len(expected), name
        for item, members in zip(items, expected, strict=True):
            assert_members(item, members)


def assert_members(item: Any, expected: dict[str, Any]) -> None:
    """Only the members that are expected are looked at."""
    assert {name: item.get(name, "missing") for name in expected} == expected
