"""Every vector of test/vectors/lint/ on the built engine, through this binding. Their format: README.md there."""

import json
from typing import Any

import pytest

from built_engine import VECTORS, engine_module
from stint import Engine, EngineError, ErrorCode

CASES: list[dict[str, Any]] = [
    case for path in sorted((VECTORS / "lint").glob("*.json")) for case in json.loads(path.read_bytes())["cases"]
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.create(engine_module())


def test_there_are_many() -> None:
    assert len(CASES) >= 100


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_lint_vector(engine: Engine, case: dict[str, Any]) -> None:
    question: dict[str, Any] | str = case["text"] if "text" in case else case["input"]
    if "refused" in case:
        with pytest.raises(EngineError) as refusal:
            engine.lint(question, case["nowMs"])
        assert refusal.value.code == ErrorCode.BAD_JSON
        assert case["refused"] in str(refusal.value)
        return
    advice = engine.lint(question, case["nowMs"])["advice"]
    if "codes" in case:
        assert [each["code"] for each in advice] == case["codes"]
    if "code" in case:
        found = [each for each in advice if each["code"] == case["code"]]
        wanted = case["advice"]
        said = [{name: each.get(name) for name in wanted or {}} for each in found]
        assert said == ([] if wanted is None else [wanted])
