"""An operator with kopf, against the cluster of the kubeconfig: it runs a Job for each object of a kind, and writes
into its status how that went. A line `ok …` for a step that works."""

import asyncio
import os
import threading
import time

import kopf
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

NAMESPACE = "default"
GROUP, VERSION, PLURAL = "example.com", "v1", "imports"
DEADLINE_SECONDS = 60

config.load_kube_config()
batch = client.BatchV1Api()
custom = client.CustomObjectsApi()
cleaned_up = []
ticks = []


@kopf.on.startup()
def configure(settings, **_):
    settings.persistence.finalizer = "example.com/operator"


@kopf.on.create(PLURAL)
def run_job(body, name, spec, **_):
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox"}]}}
    made = {"apiVersion": "batch/v1", "kind": "Job", "spec": {"completions": spec["files"], "template": template}}
    kopf.adopt(made, owner=body, forced=True)
    kopf.label(made, {"import": name})
    made["metadata"]["name"] = name
    batch.create_namespaced_job(NAMESPACE, made)
    kopf.info(body, reason="Importing", message=f"made the Job {name}")
    return {"job": name}


@kopf.on.update(PLURAL, field="spec.paused")
def pause_job(name, new, **_):
    batch.patch_namespaced_job(name, NAMESPACE, {"spec": {"suspend": new}})


@kopf.on.event("batch", "v1", "jobs", labels={"import": kopf.PRESENT})
def job_changes(event, name, status, **_):
    if event["type"] != "DELETED" and status.get("succeeded"):
        patch = {"status": {"done": status["succeeded"]}}
        custom.patch_namespaced_custom_object_status(GROUP, VERSION, NAMESPACE, PLURAL, name, patch)


@kopf.on.delete(PLURAL)
def clean_up(name, **_):
    cleaned_up.append(name)


@kopf.daemon(PLURAL, cancellation_timeout=1)
async def tick(name, stopped, **_):
    while not stopped:
        ticks.append(name)
        await stopped.wait(0.1)


def until(what, is_so):
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f"{what} has not come"
        time.sleep(0.05)


def stored(name):
    return custom.get_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, name)


def create(name, **spec):
    body = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Import", "metadata": {"name": name}, "spec": spec}
    custom.create_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, body)


def is_gone(read, *args):
    try:
        read(*args)
        return False
    except ApiException as error:
        assert error.status == 404, error
        return True


def kind_is_defined():
    open_object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    spec = {"type": "object", "properties": {"files": {"type": "integer"}, "paused": {"type": "boolean"}}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": open_object}}}
    version = {"name": VERSION, "served": True, "storage": True, "schema": schema, "subresources": {"status": {}}}
    names = {"kind": "Import", "plural": PLURAL, "singular": "import"}
    body = {
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }
    client.ApiextensionsV1Api().create_custom_resource_definition(body)
    create("before", files=1)


def operator_starts_and_takes_what_is_there():
    ready = threading.Event()
    running = kopf.operator(namespace=NAMESPACE, standalone=True, ready_flag=ready)
    threading.Thread(target=asyncio.run, args=(running,), daemon=True).start()
    assert ready.wait(DEADLINE_SECONDS), "the operator does not start"
    until("the end of the Job", lambda: stored("before").get("status", {}).get("done") == 1)


def job_of_a_new_object_runs():
    create("later", files=3)
    until("the end of the Job", lambda: stored("later").get("status", {}).get("done") == 3)
    owner = batch.read_namespaced_job("later", NAMESPACE).metadata.owner_references[0]
    assert (owner.kind, owner.name, owner.controller) == ("Import", "later", True), owner
    assert stored("later")["status"]["run_job"] == {"job": "later"}, stored("later")
    assert "example.com/operator" in stored("later")["metadata"]["finalizers"], stored("later")


def change_of_a_field_is_handled():
    patch = {"spec": {"paused": True}}
    custom.patch_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, "later", patch)
    until("the suspended Job", lambda: batch.read_namespaced_job("later", NAMESPACE).spec.suspend)


def events_are_posted():
    core = client.CoreV1Api()

    def is_posted():
        found = core.list_namespaced_event(NAMESPACE, field_selector="involvedObject.name=later").items
        return ("Importing", "made the Job later", "kopf") in {
            (event.reason, event.message, event.source.component) for event in found
        }

    until("the event of the handler", is_posted)


def daemon_runs_until_its_object_goes():
    until("the daemon", lambda: ticks.count("later") >= 2)


def object_is_cleaned_up_and_its_job_with_it():
    custom.delete_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, "later")
    until("the end of the object", lambda: is_gone(stored, "later"))
    assert cleaned_up == ["later"], cleaned_up
    until("the end of the Job", lambda: is_gone(batch.read_namespaced_job, "later", NAMESPACE))


for step in [
    kind_is_defined,
    operator_starts_and_takes_what_is_there,
    job_of_a_new_object_runs,
    change_of_a_field_is_handled,
    events_are_posted,
    daemon_runs_until_its_object_goes,
    object_is_cleaned_up_and_its_job_with_it,
]:
    step()
    print(f"ok {step.__name__}", flush=True)

# The operator runs until the process ends.
os._exit(0)
