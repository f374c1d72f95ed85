"""Each test has its own cluster, in which hours take milliseconds."""

import reports
from kubernetes.client import BatchV1Api
from stint.testing import StintCluster


def test_a_report_is_done(stint_cluster: StintCluster) -> None:
    api = BatchV1Api(stint_cluster.client())
    reports.start(api, "sales")
    assert reports.state_of(api, "sales") == "running"
    stint_cluster.until_idle()
    assert reports.state_of(api, "sales") == "done"


def test_a_report_is_tried_again(stint_cluster: StintCluster) -> None:
    api = BatchV1Api(stint_cluster.client())
    reports.start(api, "sales")
    stint_cluster.fail_pods("job/sales", exit_code=3)
    assert reports.state_of(api, "sales") == "running"
    stint_cluster.advance("1m")
    assert reports.state_of(api, "sales") == "done"


def test_a_report_that_always_fails_is_given_up(stint_cluster: StintCluster) -> None:
    api = BatchV1Api(stint_cluster.client())
    stint_cluster.outcomes("job/sales", {"exitCode": 3})
    reports.start(api, "sales")
    stint_cluster.until_idle()
    assert reports.state_of(api, "sales") == "failed"
    assert "BackoffLimitExceeded" in stint_cluster.why("job/sales")
