/**
 * The metrics of kube-state-metrics that deploy/monitoring/ asks for, with their labels. Source:
 * https://github.com/kubernetes/kube-state-metrics, job-metrics.md and pod-metrics.md in its docs/metrics/workload/,
 * and where these are silent internal/store/job.go and pod.go.
 *
 * What is easily got wrong:
 * - kube_job_status_failed and kube_job_status_succeeded count pods. A Job that succeeds after a retry has failed pods
 *   for ever.
 * - kube_job_failed and kube_job_complete are there once the Job has such a condition, with a series for each of its
 *   three statuses; the one that holds has the value 1. Without condition="true" a condition that is False counts too.
 * - kube_job_status_start_time is not there before the Job was taken up, and while it is suspended.
 * - kube_job_status_suspended is there once the Job was suspended, and 0 after it was resumed. Its page says that it
 *   has a label `condition`; it has none.
 * - kube_job_spec_completions is not there for a work queue, kube_job_spec_active_deadline_seconds without a deadline.
 * - kube_job_labels has the labels that --metric-labels-allowlist names. The page writes `/`, `.` and `-` as `_`.
 */
const JOB = ["namespace", "job_name"];
const POD = ["namespace", "pod", "uid"];

export const KUBE_STATE_METRICS: Readonly<Record<string, readonly string[]>> = {
  kube_job_complete: [...JOB, "condition"],
  kube_job_created: JOB,
  kube_job_failed: [...JOB, "condition"],
  kube_job_info: JOB,
  kube_job_labels: [...JOB, "label_stint_dev_alert_after"],
  kube_job_spec_active_deadline_seconds: JOB,
  kube_job_spec_parallelism: JOB,
  kube_job_status_active: JOB,
  kube_job_status_ready: JOB,
  kube_job_status_start_time: JOB,
  kube_job_status_succeeded: JOB,
  kube_job_status_suspended: JOB,
  kube_pod_deletion_timestamp: POD,
  kube_pod_owner: [...POD, "owner_kind", "owner_name", "owner_is_controller"],
  kube_pod_status_phase: [...POD, "phase"],
};
