"""Every vector of test/vectors/engine/ on the built engine, through this binding, and the bytes of its requests beside
JavaScript's.
"""

import pytest

from plain_json import JsonObject
from vector_digests import digest_of, javascript_digests
from vector_files import LoadedVector, load_vectors
from vector_runner import run_vector

VECTORS = load_vectors()


@pytest.mark.parametrize("loaded", VECTORS, ids=lambda loaded: loaded.name)
def test_engine_vector(loaded: LoadedVector) -> None:
    run_vector(loaded.vector, loaded.objects, lambda request: None)


def test_requests_have_the_same_bytes_as_in_javascript() -> None:
    expected = javascript_digests()
    assert [loaded.name for loaded in VECTORS] == list(expected)
    differing = (loaded.name for loaded in VECTORS if digest_of(loaded) != expected[loaded.name])
    assert next(differing, None) is None


STARTED: JsonObject = {"start": {"j": {"from": "job", "spec": {"parallelism": 1, "completions": 1}}}}
RUNS: JsonObject = {"run": 3000, "requests": [{"create": "p1"}, {"status": "<any>"}], "nextWakeUp": None}


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (
            [STARTED, RUNS | {"requests": []}],
            r"step 2 \(run\): one request too many: POST /api/v1/namespaces/default/pods",
        ),
        ([STARTED, RUNS | {"requests": [*RUNS["requests"], {"strip": "p1"}]}], r"missing: {\"strip\":\"p1\"}"),
        ([STARTED, RUNS | {"requests": [{"create": "p1", "job": "k"}]}], "expected a pod of k"),
        ([STARTED, RUNS | {"requests": [{"create": "p1", "index": 0}]}], "the completion index 0"),
        ([STARTED, RUNS | {"requests": [{"create": "p1", "body": {}}]}], "expected {}"),
        ([STARTED, RUNS | {"requests": [{"delete": "p1"}]}], "expected DELETE /api/v1/namespaces/default/pods/p1"),
        ([STARTED, RUNS | {"requests": [{"create": "p1"}, {"status": {"active": 2}}]}], 'expected status {"active":2}'),
        ([STARTED, RUNS | {"events": []}], "events are"),
        ([STARTED, RUNS | {"nextWakeUp": 3001}], "the next wake-up is inf, expected 3001"),
        ([STARTED, {"add": {"k": {"from": "job"}}, "result": "badJson"}], "returned code 0, expected badJson"),
        ([STARTED, {"explain": "j", "expect": {"found": False}}], '"found" is true, expected false'),
        ([STARTED, {"metrics": {"jobs": 2}}], '"jobs" is 1, expected 2'),
        (
            [STARTED, {"metrics": {"families": {"workqueue_adds_total{name=job}": 1}}}],
            '"workqueue_adds_total{name=job}" is null, expected 1',
        ),
        (
            [STARTED, {"metrics": {"families": {"workqueue_add_total{name=job}": None}}}],
            "is of no family that the engine has",
        ),
        ([STARTED, {"unknown": 1}], "none of the known members"),
    ],
)
def test_the_runner_notices(steps: list[JsonObject], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        run_vector({"steps": steps}, VECTORS[0].objects, lambda request: None)
