/**
 * The fields of a Job's manifest, for authors of Jobs: what each one does to the Job, its default, and what goes wrong
 * with it. Leaves out most of a pod: those fields behave as in any pod.
 */

export interface FieldHelp {
  /** `integer`, `text`, `list`, `object`… */
  readonly type: string;
  readonly text: string;
  /** The allowed values, or good suggestions. */
  readonly values?: readonly string[];
  /** It holds other fields, on separate lines. */
  readonly isParent: boolean;
}

const POD = "spec.template.spec";
const CONTAINER = `${POD}.containers`;
const RULES = "spec.podFailurePolicy.rules";

/** Path, type, text, and values. A type with a star holds other fields. */
const ROWS: readonly (readonly [path: string, type: string, text: string, ...values: string[]])[] = [
  ["apiVersion", "text", "batch/v1 for a Job; v1 for ConfigMaps, Services and the like.", "batch/v1", "v1"],
  ["kind", "text", "What this object is.", "Job", "ConfigMap", "Service", "PriorityClass"],
  ["metadata", "object*", "The Job's name, labels and annotations."],
  ["metadata.name", "text", "Pods are named after it: NAME-INDEX-XXXXX in Indexed Jobs, NAME-XXXXX otherwise."],
  ["metadata.namespace", "text", "Where it lives; without one, default."],
  ["metadata.labels", "object*", "Labels of the Job itself. Pods get those of the template."],
  ["metadata.annotations", "object*", "Notes for programs. stint.dev/simulate says how containers end here."],
  ["spec", "object*", "The desired behaviour of the Job."],
  [
    "spec.completions",
    "integer",
    "How many pods must succeed. With parallelism and without completions the Job is a work queue: it ends when one pod has succeeded and all others have ended. Elastic Indexed Jobs may change it together with parallelism.",
  ],
  [
    "spec.parallelism",
    "integer",
    "How many pods may run at once; default 1. 0 holds the Job. It can be changed at any time.",
  ],
  [
    "spec.completionMode",
    "text",
    "NonIndexed: pods are alike. Indexed: each pod has a completion index from 0 to completions − 1, in its name, label, annotation and JOB_COMPLETION_INDEX.",
    "NonIndexed",
    "Indexed",
  ],
  [
    "spec.backoffLimit",
    "integer",
    "How many failures the Job endures; default 6. With restartPolicy OnFailure restarts of containers count. One failure more, and the Job has failed (BackoffLimitExceeded).",
  ],
  [
    "spec.backoffLimitPerIndex",
    "integer",
    "The same for each completion index alone. An index that used it up is failed, the others continue. Only Indexed Jobs with restartPolicy Never.",
  ],
  [
    "spec.maxFailedIndexes",
    "integer",
    "With backoffLimitPerIndex: when more indexes have failed, the Job fails at once.",
  ],
  [
    "spec.activeDeadlineSeconds",
    "integer",
    "So long after its start the Job fails (DeadlineExceeded), whatever runs. Time in which it is suspended does not count.",
  ],
  [
    "spec.ttlSecondsAfterFinished",
    "integer",
    "So long after its end the Job and its pods are deleted. Without it they stay. 0 deletes at once.",
  ],
  [
    "spec.suspend",
    "true or false",
    "true: no pods, and running ones are deleted. false again: it starts again.",
    "true",
    "false",
  ],
  [
    "spec.podReplacementPolicy",
    "text",
    "When a pod that is being deleted is replaced. TerminatingOrFailed: at once; then old and new may run together. Failed: when it has ended.",
    "TerminatingOrFailed",
    "Failed",
  ],
  [
    "spec.manualSelector",
    "true or false",
    "true: you choose the selector yourself. Almost never right.",
    "true",
    "false",
  ],
  ["spec.managedBy", "text", "Another controller than Kubernetes' own runs this Job."],
  ["spec.selector", "object*", "Set by the API server. Leave it out."],
  [
    "spec.podFailurePolicy",
    "object*",
    "What a failure means, by exit code or pod condition. Only with restartPolicy Never.",
  ],
  [RULES, "list*", "Rules in order; the first that matches a failed pod decides. None: the failure counts."],
  [
    `${RULES}.action`,
    "text",
    "FailJob: the Job fails at once. FailIndex: this index fails. Ignore: the pod is replaced and the failure does not count. Count: it counts, as without a rule.",
    "FailJob",
    "FailIndex",
    "Ignore",
    "Count",
  ],
  [`${RULES}.onExitCodes`, "object*", "Matches the exit codes of containers."],
  [`${RULES}.onExitCodes.containerName`, "text", "Only this container; without it, all."],
  [
    `${RULES}.onExitCodes.operator`,
    "text",
    "In: one of the values. NotIn: none of them. 0 matches neither.",
    "In",
    "NotIn",
  ],
  [`${RULES}.onExitCodes.values`, "list", "Exit codes, each once, in ascending order: [42, 137]."],
  [
    `${RULES}.onPodConditions`,
    "list*",
    "Matches conditions of the pod: DisruptionTarget is set by eviction, preemption and drains.",
  ],
  [`${RULES}.onPodConditions.type`, "text", "The condition's type.", "DisruptionTarget"],
  [`${RULES}.onPodConditions.status`, "text", "The condition's status; default True.", '"True"', '"False"'],
  ["spec.successPolicy", "object*", "When the Job is a success before all indexes are. Only Indexed Jobs."],
  [
    "spec.successPolicy.rules",
    "list*",
    "The Job is a success when one of these rules holds; the other pods are then deleted.",
  ],
  ["spec.successPolicy.rules.succeededIndexes", "text", 'These indexes must have succeeded: "0,2-4".'],
  [
    "spec.successPolicy.rules.succeededCount",
    "integer",
    "So many must have succeeded, of succeededIndexes if that is given.",
  ],
  ["spec.template", "object*", "The pods that the Job creates. It cannot be changed while the Job runs."],
  ["spec.template.metadata", "object*", "Labels and annotations of the pods."],
  ["spec.template.metadata.labels", "object*", "Labels of the pods, besides those that the Job sets."],
  ["spec.template.metadata.annotations", "object*", "Annotations of the pods."],
  [
    "spec.template.metadata.annotations.stint.dev/simulate",
    "text",
    'How the containers end in this simulation, as JSON: {"runMs": 5000, "exitCode": 1}.',
  ],
  [POD, "object*", "What runs."],
  [
    `${POD}.restartPolicy`,
    "text",
    "Never: a failed pod stays, and the Job makes a new one. OnFailure: the kubelet restarts the container in the same pod. A Job needs one of the two.",
    "Never",
    "OnFailure",
  ],
  [CONTAINER, "list*", "The containers. The pod has succeeded when all have ended with 0."],
  [
    `${POD}.initContainers`,
    "list*",
    "Run one after another before the containers; with restartPolicy Always one is a sidecar.",
  ],
  [
    `${POD}.activeDeadlineSeconds`,
    "integer",
    "For each pod alone: so long after its start the pod fails. The Job's own is in spec.",
  ],
  [
    `${POD}.terminationGracePeriodSeconds`,
    "integer",
    "How long containers may take to end when the pod is deleted; default 30.",
  ],
  [`${POD}.nodeSelector`, "object*", "Only nodes with these labels. If there is none, pods stay Pending."],
  [`${POD}.nodeName`, "text", "Exactly this node, past the scheduler."],
  [`${POD}.schedulingGates`, "list*", "The scheduler waits until the list is empty."],
  [`${POD}.priorityClassName`, "text", "A PriorityClass of the cluster."],
  [`${POD}.serviceAccountName`, "text", "Which ServiceAccount the pods have."],
  [`${POD}.volumes`, "list*", "Volumes of the pod. A missing ConfigMap keeps it in ContainerCreating."],
  [`${POD}.tolerations`, "list*", "Taints of nodes that do not keep these pods away."],
  ...[CONTAINER, `${POD}.initContainers`].flatMap((list) => containerRows(list)),
];

function containerRows(list: string): (readonly [path: string, type: string, text: string, ...values: string[]])[] {
  return [
    [`${list}.name`, "text", "Its name within the pod; rules of exit codes name it."],
    [`${list}.image`, "text", "The image. Nothing is pulled in this simulation."],
    [`${list}.command`, "list", "What is run, instead of the image's entry point."],
    [`${list}.args`, "list", "Its arguments."],
    [`${list}.env`, "list*", "Environment variables."],
    [`${list}.env.name`, "text", "The variable's name."],
    [`${list}.env.value`, "text", "Its value, as text: quote numbers."],
    [`${list}.resources`, "object*", "What it asks for, and what it may use."],
    [
      `${list}.resources.requests`,
      "object*",
      "The scheduler finds a node with so much room. Without room the pod stays Pending.",
    ],
    [`${list}.resources.requests.cpu`, "quantity", "1 is one core, 500m half of one."],
    [`${list}.resources.requests.memory`, "quantity", "For example 128Mi or 2Gi."],
    [
      `${list}.resources.limits`,
      "object*",
      "More memory than this, and the container is killed: OOMKilled, exit code 137.",
    ],
    [`${list}.resources.limits.cpu`, "quantity", "It gets no more; it is slowed down."],
    [`${list}.resources.limits.memory`, "quantity", "It is killed when it uses more."],
    [`${list}.restartPolicy`, "text", "Of an init container: Always makes it a sidecar.", "Always"],
    [`${list}.readinessProbe`, "object*", "Until it succeeds the pod is active, and not ready."],
    [`${list}.volumeMounts`, "list*", "Where volumes appear in its files."],
  ];
}

const FIELDS: ReadonlyMap<string, FieldHelp> = new Map(
  ROWS.map(([path, type, text, ...values]) => [
    path,
    { type: type.replace("*", ""), text, isParent: type.endsWith("*"), ...(values.length === 0 ? {} : { values }) },
  ]),
);

export function helpOf(path: readonly string[]): FieldHelp | undefined {
  return FIELDS.get(path.join("."));
}

/** The fields allowed inside another, in their usual order. */
export function fieldsIn(parents: readonly string[]): readonly (readonly [name: string, help: FieldHelp])[] {
  const prefix = parents.map((name) => `${name}.`).join("");
  return [...FIELDS].flatMap(([path, help]) => {
    const name = path.startsWith(prefix) ? path.slice(prefix.length) : ".";
    const isInside = !name.includes(".") || name === "stint.dev/simulate";
    return isInside ? [[name, help] as const] : [];
  });
}
