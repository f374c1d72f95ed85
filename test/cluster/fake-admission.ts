/**
 * A stand-in for the engine's review, for tests of the API server: the defaults of Jobs and Pods, the generated
 * selector, and a refusal of a Job whose template may restart Always. Leaves out every other rule.
 */
import type { Admission } from "../../cluster/values/types.ts";

type Fields = Record<string, any>;

export const fakeAdmission: Admission = (text) => {
  const { request } = JSON.parse(text) as { request: Fields };
  const object: Fields = request["object"];
  const causes = request["kind"].kind === "Job" ? jobCauses(object) : [];
  const answer =
    causes.length > 0
      ? refusal(request, causes)
      : { allowed: true, patchType: "JSONPatch", patch: encode(patchFor(request, object)) };
  return JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid: request["uid"], ...answer },
  });
};

function encode(operations: object[]): string {
  return Buffer.from(JSON.stringify(operations)).toString("base64");
}

function patchFor(request: Fields, object: Fields): object[] {
  if (request["subResource"] !== undefined) return [];
  if (request["kind"].kind === "Pod") {
    const spec = structuredClone(object["spec"]);
    defaultPodSpec(spec, "Always");
    for (const container of spec.containers) {
      const { limits } = container.resources;
      if (limits) container.resources.requests = { ...limits, ...container.resources.requests };
    }
    return [{ op: "replace", path: "/spec", value: spec }];
  }
  const spec = structuredClone(object["spec"]);
  defaultJobSpec(spec);
  const operations: object[] = [];
  if (request["operation"] === "CREATE" && !spec.manualSelector) generateSelector(spec, object["metadata"]);
  if (!object["metadata"].labels && spec.template.metadata.labels)
    operations.push({ op: "add", path: "/metadata/labels", value: spec.template.metadata.labels });
  return [...operations, { op: "replace", path: "/spec", value: spec }];
}

function defaultJobSpec(spec: Fields): void {
  if (spec["parallelism"] === undefined && spec["completions"] === undefined) spec["completions"] = 1;
  spec["parallelism"] ??= 1;
  spec["backoffLimit"] ??= 6;
  spec["completionMode"] ??= "NonIndexed";
  spec["suspend"] ??= false;
  spec["manualSelector"] ??= false;
  spec["podReplacementPolicy"] ??= "TerminatingOrFailed";
  defaultPodSpec(spec["template"].spec, "Always");
}

function defaultPodSpec(spec: Fields, restartPolicy: string): void {
  spec["restartPolicy"] ??= restartPolicy;
  spec["dnsPolicy"] ??= "ClusterFirst";
  spec["terminationGracePeriodSeconds"] ??= 30;
  spec["schedulerName"] ??= "default-scheduler";
  spec["securityContext"] ??= {};
  for (const container of [...(spec["initContainers"] ?? []), ...(spec["containers"] ?? [])]) {
    container.terminationMessagePath ??= "/dev/termination-log";
    container.terminationMessagePolicy ??= "File";
    container.imagePullPolicy ??= /:(?!latest$)[^/]+$/.test(container.image ?? "") ? "IfNotPresent" : "Always";
    for (const port of container.ports ?? []) port.protocol ??= "TCP";
    for (const { valueFrom } of container.env ?? []) if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ??= "v1";
  }
}

function generateSelector(spec: Fields, metadata: Fields): void {
  const { uid, name } = metadata;
  spec["template"].metadata.labels = {
    ...spec["template"].metadata.labels,
    "job-name": name,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "batch.kubernetes.io/controller-uid": uid,
  };
  spec["selector"] = { matchLabels: { ...spec["selector"]?.matchLabels, "batch.kubernetes.io/controller-uid": uid } };
}

interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

function jobCauses(job: Fields): Cause[] {
  if ((job["spec"]?.template?.spec?.restartPolicy ?? "Always") !== "Always") return [];
  return [
    {
      reason: "FieldValueNotSupported",
      message: 'Unsupported value: "Always": supported values: "OnFailure", "Never"',
      field: "spec.template.spec.restartPolicy",
    },
  ];
}

function refusal(request: Fields, causes: Cause[]): object {
  const { name } = request["object"].metadata;
  const message = `Job.batch "${name}" is invalid: ${causes.map((cause) => `${cause.field}: ${cause.message}`).join(", ")}`;
  return {
    allowed: false,
    status: { code: 422, reason: "Invalid", message, details: { name, group: "batch", kind: "Job", causes } },
  };
}
