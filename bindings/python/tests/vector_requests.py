"""The requests that a step of a vector expects, and how a request differs from one of them."""

from typing import Any
from urllib.parse import quote

from plain_json import Json, JsonObject, parse, render, same
from stint import EngineRequest
from vector_server import INDEX_KEY, NAMESPACE

_PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
_JOBS = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
_GANGS = f"/apis/scheduling.k8s.io/v1beta1/namespaces/{NAMESPACE}"
_REMOVE_OPTIONS: Json = {
    "kind": "DeleteOptions",
    "apiVersion": "v1",
    "preconditions": {"uid": "<any>"},
    "propagationPolicy": "Foreground",
}
_STRATEGIC_PATCH = "application/strategic-merge-patch+json"
_CONTENT_TYPES = {
    "create": "application/json",
    "strip": _STRATEGIC_PATCH,
    "adopt": _STRATEGIC_PATCH,
    "release": _STRATEGIC_PATCH,
    "status": "application/merge-patch+json",
    "delete": "",
    "list": "",
    "read": "",
    "remove": "application/json",
    "createWorkload": "application/json",
    "createPodGroup": "application/json",
    "readWorkload": "",
    "readPodGroup": "",
    "patchWorkload": _STRATEGIC_PATCH,
    "patchPodGroup": _STRATEGIC_PATCH,
}
_ABSENT = object()


class ExpectedRequests:
    """The requests of one step, in order; a list among them may come in any order."""

    def __init__(self, requests: list[Any], finalizer: str) -> None:
        self._finalizer = finalizer
        self._groups = [list(entry) if isinstance(entry, list) else [entry] for entry in requests]

    def take(self, request: EngineRequest) -> JsonObject:
        """The expected request that this one is. Raises AssertionError when it is none that may come now."""
        if not self._groups:
            raise AssertionError(f"one request too many: {describe(request)}")
        group = self._groups[0]
        differences = [_difference(request, expected, self._finalizer) for expected in group]
        if None not in differences:
            raise AssertionError("\n  ".join([f"the request is {describe(request)}", *map(str, differences)]))
        match: JsonObject = group.pop(differences.index(None))
        if not group:
            self._groups.pop(0)
        return match

    def end(self) -> None:
        """Raises AssertionError when a request has not come."""
        missing = [expected for group in self._groups for expected in group]
        assert not missing, f"missing: {', '.join(map(render, missing))}"


def key_of(expected: JsonObject) -> str:
    """What a `settle` step calls this request: its verb and its name."""
    verb = _verb_of(expected)
    return f"{verb} {expected.get('job', 'j') if verb == 'status' else expected[verb]}"


def matches(actual: Any, expected: Json, *, as_sets: bool = False) -> bool:
    """Equal but for `<any>`, which matches any value. `as_sets`: the order of strings in a list is free."""
    if expected == "<any>":
        return actual is not _ABSENT
    if isinstance(actual, list) and isinstance(expected, list):
        if as_sets:
            actual, expected = _sorted(actual), _sorted(expected)
        return len(actual) == len(expected) and all(
            matches(*pair, as_sets=as_sets) for pair in zip(actual, expected, strict=True)
        )
    if isinstance(actual, dict) and isinstance(expected, dict):
        return actual.keys() == expected.keys() and all(
            matches(actual[key], expected[key], as_sets=as_sets) for key in expected
        )
    return same(actual, expected)


def describe(request: EngineRequest) -> str:
    """A request in one line."""
    return f"{request.method} {request.path} {request.body.decode()}"


def _verb_of(expected: JsonObject) -> str:
    for verb in _CONTENT_TYPES:
        if verb in expected:
            return verb
    raise AssertionError(f"an expected request says none of {', '.join(_CONTENT_TYPES)}: {render(expected)}")


def _difference(request: EngineRequest, expected: JsonObject, finalizer: str) -> str | None:
    """What is different, in words; None: nothing."""
    verb = _verb_of(expected)
    job = expected.get("job", "j")
    token = f"&continue={quote(expected['continue'], safe='')}" if "continue" in expected else ""
    line = {
        "create": f"POST {_PODS}",
        "strip": f"PATCH {_PODS}/{expected.get('strip')}",
        "adopt": f"PATCH {_PODS}/{expected.get('adopt')}",
        "release": f"PATCH {_PODS}/{expected.get('release')}",
        "status": f"PATCH {_JOBS}/{job}/status",
        "delete": f"DELETE {_PODS}/{expected.get('delete')}",
        "list": f"GET {_PODS}?labelSelector=batch.kubernetes.io%2Fcontroller-uid%3Duid-{expected.get('list')}"
        f"&limit=500{token}",
        "read": f"GET {_JOBS}/{expected.get('read')}",
        "remove": f"DELETE {_JOBS}/{expected.get('remove')}",
        "createWorkload": f"POST {_GANGS}/workloads",
        "createPodGroup": f"POST {_GANGS}/podgroups",
        "readWorkload": f"GET {_GANGS}/workloads/{expected.get('readWorkload')}",
        "readPodGroup": f"GET {_GANGS}/podgroups/{expected.get('readPodGroup')}",
        "patchWorkload": f"PATCH {_GANGS}/workloads/{expected.get('patchWorkload')}",
        "patchPodGroup": f"PATCH {_GANGS}/podgroups/{expected.get('patchPodGroup')}",
    }[verb]
    if f"{request.method} {request.path}" != line:
        return f"expected {line}"
    if request.content_type != _CONTENT_TYPES[verb]:
        return f'content type "{request.content_type}", expected "{_CONTENT_TYPES[verb]}"'
    if request.accept != "application/json":
        return f'accept "{request.accept}", expected "application/json"'
    if not _CONTENT_TYPES[verb]:
        return "expected no body" if request.body else None
    body = parse(request.body)
    if verb in ("strip", "adopt", "release"):
        patch = _pod_patch(expected, verb, finalizer)
        return None if matches(body, patch) else f"expected {render(patch)}"
    if verb == "remove":
        return None if matches(body, _REMOVE_OPTIONS) else f"expected {render(_REMOVE_OPTIONS)}"
    if verb == "status":
        return _status_difference(body, expected["status"])
    if verb in ("patchWorkload", "patchPodGroup"):
        return None if matches(body, expected["body"]) else f"expected {render(expected['body'])}"
    if verb != "create":
        return _named_difference(body, expected, expected[verb])
    return _create_difference(body, expected, job)


def _pod_patch(expected: JsonObject, verb: str, finalizer: str) -> Json:
    """The patch of a pod, as controller.md 4.7 and 2.7 spell it out."""
    job = expected.get("job", "j")
    job_uid, pod_uid = expected.get("uid", f"uid-{job}"), f"uid-{expected[verb]}"
    removal = {"$deleteFromPrimitiveList/finalizers": [finalizer]}
    if verb == "adopt":
        owner = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "name": job,
            "uid": job_uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }
        return {
            "metadata": {
                "ownerReferences": [owner],
                "uid": pod_uid,
                "resourceVersion": "<any>",
                "finalizers": [finalizer],
            }
        }
    if verb == "release":
        return {"metadata": {"uid": pod_uid, "ownerReferences": [{"$patch": "delete", "uid": job_uid}], **removal}}
    return {"metadata": removal}


def _status_difference(body: JsonObject, expected: Json) -> str | None:
    if body["metadata"].keys() != {"uid", "resourceVersion"}:
        return "expected metadata with uid and resourceVersion alone"
    return None if matches(body["status"], expected, as_sets=True) else f"expected status {render(expected)}"


def _named_difference(body: JsonObject, expected: JsonObject, name: str) -> str | None:
    if "body" in expected and not matches(body, expected["body"]):
        return f"expected {render(expected['body'])}"
    return None if body["metadata"]["name"] == name else f"expected the name {name}"


def _create_difference(body: JsonObject, expected: JsonObject, job: str) -> str | None:
    metadata = body["metadata"]
    if metadata["ownerReferences"][0]["name"] != job:
        return f"expected a pod of {job}"
    if "body" in expected:
        return None if matches(body, expected["body"]) else f"expected {render(expected['body'])}"
    index = str(expected["index"]) if "index" in expected else None
    for kind in ("annotations", "labels"):
        if metadata.get(kind, {}).get(INDEX_KEY) != index:
            return f"expected in the {kind} the completion index {index or '(none)'}"
    return None


def _sorted(items: list[Any]) -> list[Any]:
    return sorted(items) if all(isinstance(item, str) for item in items) else items
