"""Every vector of test/vectors/admission/ on the built engine, through this binding."""

import base64

import pytest

from admission_files import AdmissionVector, load_admission_vectors
from built_engine import engine_module
from json_patch import apply_json_patch
from plain_json import JsonObject, parse, same
from stint import Engine


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.create(engine_module())


@pytest.mark.parametrize("vector", load_admission_vectors(), ids=lambda vector: vector.name)
def test_admission_vector(engine: Engine, vector: AdmissionVector) -> None:
    request, wanted = vector.case["review"], vector.case["expect"]
    if "configuration" in vector.case:
        engine = Engine.create(engine_module())
        engine.configure(vector.case["configuration"])
    response = parse(engine.review(vector.review))["response"]
    status = response.get("status", {})
    assert response["uid"] == request["uid"]
    assert response.get("patchType") == ("JSONPatch" if "patch" in response else None)
    expect_causes(status.get("details", {}).get("causes", []), wanted.get("causes", []))
    assert response["allowed"] is wanted["allowed"]
    if not wanted["allowed"]:
        assert status["code"] == wanted.get("code", 422)
    if "message" in wanted:
        assert status["message"] == wanted["message"]
    if "patched" in wanted:
        operations = parse(base64.b64decode(response["patch"])) if "patch" in response else []
        assert same(apply_json_patch(request["object"], operations), wanted["patched"])
    if wanted.get("patch") is False:
        assert "patch" not in response
    if "warnings" in wanted:
        assert response.get("warnings", []) == wanted["warnings"]


def expect_causes(found: list[JsonObject], wanted: list[JsonObject]) -> None:
    """All causes, in order. Where `message` and `messageEnd` are left out, any message will do."""
    assert [(cause["field"], cause["reason"]) for cause in found] == [
        (cause["field"], cause["reason"]) for cause in wanted
    ]
    for cause, expected in zip(found, wanted, strict=True):
        assert cause["message"] == expected.get("message", cause["message"])
        assert cause["message"].endswith(expected.get("messageEnd", ""))
