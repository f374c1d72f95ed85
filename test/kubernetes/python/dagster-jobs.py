"""What pipelines do with dagster-k8s, against the cluster of the kubeconfig, whose containers are processes of this
machine: an op that runs a Job, and one whose Job fails. A line `ok …` for a step that works."""

import contextlib
import io
import logging
import os
import warnings

import dagster
from dagster_k8s import execute_k8s_job
from kubernetes import client, config

NAMESPACE = "default"
KUBECONFIG = os.environ["KUBECONFIG"]
TIMEOUT_SECONDS = 60

logging.disable(logging.ERROR)
warnings.simplefilter("ignore")
config.load_kube_config()
batch = client.BatchV1Api()
core = client.CoreV1Api()


def run(op):
    """The result of a pipeline of this op, and what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        result = dagster.GraphDefinition(name=f"pipeline_{op.name}", node_defs=[op]).execute_in_process(
            raise_on_error=False
        )
    return result, printed.getvalue()


def job(context, name, script, **more):
    execute_k8s_job(
        context,
        image="busybox",
        command=["sh", "-c", script],
        namespace=NAMESPACE,
        load_incluster_config=False,
        kubeconfig_file=KUBECONFIG,
        timeout=TIMEOUT_SECONDS,
        k8s_job_name=name,
        **more,
    )


@dagster.op
def succeeds(context):
    job(context, "succeeds", "echo from $NAME", env_vars=["NAME=dagster"], labels={"by": "pipeline"})


@dagster.op
def fails(context):
    job(context, "fails", "echo broken; exit 3", job_spec_config={"backoff_limit": 0})


def op_runs_a_job_and_prints_its_log():
    result, printed = run(succeeds)
    assert result.success and "from dagster" in printed, printed
    stored = batch.read_namespaced_job("succeeds", NAMESPACE)
    assert stored.status.succeeded == 1 and stored.metadata.labels["dagster/op"] == "succeeds", stored
    pods = core.list_namespaced_pod(NAMESPACE, label_selector="by=pipeline").items
    assert [pod.status.phase for pod in pods] == ["Succeeded"], pods


def failure_of_a_job_is_one_of_the_op():
    result, printed = run(fails)
    failure = result.failure_data_for_node("fails").error.to_string()
    assert not result.success and "broken" in printed + failure, (printed, failure)
    names = {found.metadata.name for found in batch.list_namespaced_job(NAMESPACE).items}
    assert "fails" not in names, "the failed Job was not deleted"


for step in [
    op_runs_a_job_and_prints_its_log,
    failure_of_a_job_is_one_of_the_op,
]:
    step()
    print(f"ok {step.__name__}", flush=True)
