"""The API server of the vectors: as much of one as test/vectors/README.md says.

Objects by name in one namespace, one counter of resource versions, and an answer to each request of the engine. Leaves
out validation, garbage collection and time: pods go when a step says so.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from plain_json import Json, JsonObject, parse, render
from stint import EngineRequest

NAMESPACE = "default"
TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking"
INDEX_KEY = "batch.kubernetes.io/job-completion-index"
CLOCK_OFFSET_MS = 1767225600000
"""Wall-clock time of `now` 0: 2026-01-01T00:00:00Z."""
_GRACE_SECONDS = 30
_OBJECT_PATH = re.compile(r"/(?:pods|jobs|workloads|podgroups)/([^/?]+)")


@dataclass(frozen=True)
class Reply:
    """The answer to a request, as `Engine.settle` takes it."""

    status: int
    body: str
    retry_after_ms: int = -1


class VectorServer:
    """The objects of one vector."""

    def __init__(self, templates: dict[str, JsonObject]) -> None:
        self._templates = templates
        self._objects: dict[str, JsonObject] = {}
        self._first_versions: dict[str, JsonObject] = {}
        self._version = 0
        # On the clock of the engine. What a vector does before its first run happens two seconds after the clock's
        # start.
        self.now_ms = 2000

    @property
    def version(self) -> str:
        """The resourceVersion of a list."""
        return str(max(self._version, 1))

    def get(self, name: str) -> JsonObject:
        """The object as it is."""
        if name not in self._objects:
            raise AssertionError(f'the vector names "{name}", which is not there: {", ".join(self._objects)} are')
        return self._objects[name]

    def first(self, name: str) -> JsonObject:
        """The object as it was when it was new, also when it is gone by now."""
        if name not in self._first_versions:
            raise AssertionError(f'the vector names "{name}", which never was there')
        return self._first_versions[name]

    def all(self, kind: str) -> list[JsonObject]:
        """All objects of a kind."""
        return [item for item in self._objects.values() if item["kind"] == kind]

    def first_of(self, kind: str) -> list[JsonObject]:
        """All objects of a kind as they were when they were new."""
        return [item for item in self._first_versions.values() if item["kind"] == kind]

    def add(self, name: str, value: JsonObject) -> JsonObject:
        return self._put(
            name, self._merge({"metadata": {"name": name, "namespace": NAMESPACE, "uid": f"uid-{name}"}}, value, name)
        )

    def change(self, name: str, patch: JsonObject) -> JsonObject:
        return self._put(name, self._merge(self.get(name), patch, name))

    def delete(self, name: str) -> JsonObject:
        """The object as its deletion shows it."""
        last = self._put(name, self.get(name))
        del self._objects[name]
        return last

    def handle(self, request: EngineRequest, pod_name: str) -> Reply:
        """Carries a request out. `pod_name`: of a pod that is created; empty where the body has the name."""
        match = _OBJECT_PATH.search(request.path)
        name = match[1] if match else ""
        if request.method == "GET" and not name:
            pods = {
                "kind": "PodList",
                "apiVersion": "v1",
                "metadata": {"resourceVersion": self.version},
                "items": self.all("Pod"),
            }
            return Reply(200, render(pods))
        body = parse(request.body) if request.body else {}
        if request.method == "POST":
            return self._create(pod_name, body)
        if name not in self._objects:
            return failure(404, "NotFound", f'"{name}" not found')
        if request.method == "GET":
            return Reply(200, render(self.get(name)))
        if request.method == "DELETE":
            return Reply(200, render(self._start_deletion(name)))
        if request.path.endswith("/status"):
            return self._patch_status(name, body)
        # The API merges none of the lists in these patches, so a JSON merge patch does the same.
        if self.get(name)["kind"] != "Pod":
            return Reply(200, render(self.change(name, body)))
        return self._patch_pod(name, body["metadata"])

    def expand(self, value: Json) -> Json:
        """A value of the vector with every `from` in it merged in, and with the time in the place of `$now`."""
        if value == "$now":
            return time_text(self.now_ms)
        if isinstance(value, list):
            return [self.expand(item) for item in value]
        if not isinstance(value, dict):
            return value
        return self._merge({}, value, "") if "from" in value else self._expand_members(value)

    def _create(self, pod_name: str, body: JsonObject) -> Reply:
        name = pod_name or body["metadata"]["name"]
        if name in self._objects:
            return failure(409, "AlreadyExists", f'"{name}" already exists')
        metadata = {
            "name": name,
            "namespace": NAMESPACE,
            "uid": f"uid-{name}",
            "creationTimestamp": time_text(self.now_ms),
        }
        added: JsonObject = (
            {"metadata": metadata, "status": {"phase": "Pending"}} if pod_name else {"metadata": metadata}
        )
        return Reply(201, render(self._put(name, merge_patch(body, added))))

    def _start_deletion(self, name: str) -> JsonObject:
        current = self.get(name)
        if "deletionTimestamp" in current["metadata"]:
            return current
        moment = time_text(self.now_ms + _GRACE_SECONDS * 1000)
        return self.change(
            name, {"metadata": {"deletionTimestamp": moment, "deletionGracePeriodSeconds": _GRACE_SECONDS}}
        )

    def _patch_status(self, name: str, patch: JsonObject) -> Reply:
        metadata = self.get(name)["metadata"]
        given = patch["metadata"]
        if any(given.get(key) != metadata[key] for key in ("uid", "resourceVersion")):
            return failure(
                409,
                "Conflict",
                "the object has been modified; please apply your changes to the latest version and try again",
            )
        return Reply(200, render(self.change(name, {"status": patch["status"]})))

    def _patch_pod(self, name: str, patch: JsonObject) -> Reply:
        """A strategic merge patch, as far as the engine sends them."""
        metadata = self.get(name)["metadata"]
        if patch.get("uid", metadata["uid"]) != metadata["uid"]:
            return failure(422, "Invalid", f"metadata.uid: {patch['uid']} is not the pod's")
        removed = patch.get("$deleteFromPrimitiveList/finalizers", [])
        references = patch.get("ownerReferences", [])
        uids = [reference["uid"] for reference in references]
        before = {key: metadata.get(key, []) for key in ("finalizers", "ownerReferences")}
        kept = [finalizer for finalizer in before["finalizers"] if finalizer not in removed]
        after = {
            "finalizers": [*kept, *(added for added in patch.get("finalizers", []) if added not in kept)],
            "ownerReferences": [
                *(owner for owner in before["ownerReferences"] if owner["uid"] not in uids),
                *(reference for reference in references if "$patch" not in reference),
            ],
        }
        if after == before:
            return Reply(200, render(self.get(name)))
        return Reply(200, render(self.change(name, {"metadata": {key: items or None for key, items in after.items()}})))

    def _put(self, name: str, value: JsonObject) -> JsonObject:
        self._version += 1
        stored: JsonObject = merge_patch(value, {"metadata": {"resourceVersion": str(self._version)}})
        self._objects[name] = stored
        self._first_versions.setdefault(name, stored)
        return stored

    def _merge(self, target: JsonObject, value: JsonObject, name: str) -> JsonObject:
        for layer in self._layers_of(value):
            target = merge_patch(target, _substitute(self._expand_members(layer), name))
        return target

    def _expand_members(self, value: JsonObject) -> JsonObject:
        return {key: self.expand(member) for key, member in value.items()}

    def _layers_of(self, value: JsonObject) -> list[JsonObject]:
        """The patches that an object of the vector consists of, its `from` and `index` included."""
        layers = []
        if "from" in value:
            template = self._templates.get(value["from"])
            if template is None:
                raise AssertionError(f'the vector starts an object from "{value["from"]}", which is not defined')
            layers += self._layers_of(template)
        if "index" in value:
            mark = {INDEX_KEY: str(value["index"])}
            layers.append({"metadata": {"annotations": mark, "labels": mark}})
        return [*layers, {key: member for key, member in value.items() if key not in ("from", "index")}]


def merge_patch(target: Json, patch: Json) -> Json:
    """RFC 7386: a JSON merge patch."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def time_text(now_ms: int) -> str:
    """`now` as the API writes it."""
    return datetime.fromtimestamp((now_ms + CLOCK_OFFSET_MS) // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def failure(status: int, reason: str, message: str) -> Reply:
    """An error, as the API server sends it."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": status,
    }
    return Reply(status, render(body))


def _substitute(value: JsonObject, name: str) -> JsonObject:
    replaced: JsonObject = parse(render(value).replace("$name", name))
    return replaced
