/** The rules of ConfigMaps, Secrets and Jobs; those of ResourceQuotas are in quota/. */
import type { ConfigMap, Job, JobSpec, ResourceQuota, Secret } from "../../values/kinds.ts";
import type { ResourceRequest, Strategy } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import { configKeyErrors } from "../../values/names.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { base64Bytes, base64Encode } from "../../values/text.ts";
import { keepSpec } from "../verbs/update.ts";
import { withoutDroppedJobFields } from "./dropped-fields.ts";
import { schedulingGroupErrors, warnOfDroppedGroup } from "./gang.ts";
import { keptSchedulingErrors } from "./job-scheduling.ts";

/** The limit for the data of a ConfigMap or a Secret. */
const maxDataBytes = 1024 * 1024;

/** Admission sets the defaults of Jobs and validates them. The server itself only empties the status of a new Job. */
export const jobStrategy: Strategy<Job> = {
  prepareCreate: (job, request) => ({ ...withKnownFields(job, undefined, request), status: {} }),
  completeCreate: (job) => ({ ...job, spec: withoutEmptyRules(job.spec) }),
  prepareUpdate(job, current, request) {
    const kept = withKnownFields(job, current, request);
    const spec = withoutEmptyRules(kept.spec);
    return spec === kept.spec ? kept : { ...kept, spec };
  },
  validate(job, current, { server, subresource }) {
    if (subresource) return [];
    return [
      ...schedulingGroupErrors(job.spec.template.spec, "spec.template.spec"),
      ...(current ? keptSchedulingErrors(job.spec, current.spec, server) : []),
    ];
  },
  // Admission, which gives a Job without labels those of its template, does not see statuses.
  prepareSubresourceUpdate(job, current) {
    const kept = keepSpec(job, current);
    const labels = kept.spec.template.metadata?.labels;
    if (!labels || Object.keys(kept.metadata.labels ?? {}).length > 0) return kept;
    return { ...kept, metadata: { ...kept.metadata, labels } };
  },
};

/** An empty list that must be written is stored as null. */
export function withoutEmptyRules(spec: JobSpec): JobSpec {
  const policy = spec.podFailurePolicy;
  return policy?.rules?.length === 0 ? { ...spec, podFailurePolicy: { ...policy, rules: null as never } } : spec;
}

function withKnownFields(job: Job, current: Job | undefined, request: ResourceRequest): Job {
  warnOfDroppedGroup(job.spec.template.spec, "spec.template.spec", request);
  const spec = withoutDroppedJobFields(job.spec, current?.spec, request.server);
  return spec === job.spec ? job : { ...job, spec };
}

export const resourceQuotaStrategy: Strategy<ResourceQuota> = {
  prepareCreate: (quota) => ({ ...quota, status: {} }),
  validate: (quota, current, request) =>
    request.server.quotas?.validate(quota, current, request) ?? [{ kind: "Forbidden", field: "kind" }],
};

export const configMapStrategy: Strategy<ConfigMap> = {
  validate(map, current) {
    const data = map.data ?? {};
    const binaryData = map.binaryData ?? {};
    const errors: FieldError[] = [];
    let bytes = 0;
    for (const [field, entries] of [
      ["data", data],
      ["binaryData", binaryData],
    ] as const) {
      for (const [key, value] of Object.entries(entries)) {
        for (const detail of configKeyErrors(key))
          errors.push({ kind: "Invalid", field: `${field}[${key}]`, value: key, detail });
        bytes += field === "data" ? value.length : Math.floor((value.length * 3) / 4);
        if (field === "data" && Object.hasOwn(binaryData, key))
          errors.push({
            kind: "Invalid",
            field: `data[${key}]`,
            value: key,
            detail: "duplicate of key present in binaryData",
          });
      }
    }
    if (bytes > maxDataBytes)
      errors.push({ kind: "TooLong", field: "[]", detail: `may not be more than ${maxDataBytes} bytes` });
    return current?.immutable ? [...errors, ...frozen(map, current, ["immutable", "data", "binaryData"])] : errors;
  },
};

export const secretStrategy: Strategy<Secret> = {
  prepareCreate: (secret) => asStored(secret),
  prepareUpdate: (secret) => asStored(secret),
  validate(secret, current) {
    const data = secret.data ?? {};
    const errors: FieldError[] = [];
    if (current !== undefined && current.type !== secret.type)
      errors.push({ kind: "Invalid", field: "type", value: secret.type, detail: "field is immutable" });
    for (const key of Object.keys(data)) {
      for (const detail of configKeyErrors(key))
        errors.push({ kind: "Invalid", field: `data[${key}]`, value: key, detail });
    }
    const bytes = Object.values(data).reduce((sum, value) => sum + base64Bytes(value).length, 0);
    if (bytes > maxDataBytes)
      errors.push({ kind: "TooLong", field: "data", detail: `may not be more than ${maxDataBytes} bytes` });
    for (const key of NEEDED_KEYS[secret.type!] ?? [])
      if (!(key in data)) errors.push({ kind: "Required", field: `data[${key}]`, detail: "" });
    return current?.immutable ? [...errors, ...frozen(secret, current, ["immutable", "data"])] : errors;
  },
};

/** The keys that a Secret of a type must have. Source: ValidateSecret in pkg/apis/core/validation/validation.go. */
const NEEDED_KEYS: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

/** The Secret with its default type, and with `stringData` moved into `data`: it is never read back. */
function asStored({ stringData, ...secret }: Secret): Secret {
  const texts = Object.entries(stringData ?? {}).map(([key, text]) => [key, base64Encode(text)]);
  const data = texts.length === 0 ? {} : { data: { ...secret.data, ...Object.fromEntries(texts) } };
  return { ...secret, ...data, type: secret.type || "Opaque" };
}

function frozen<Kind>(object: Kind, current: Kind, fields: readonly (keyof Kind & string)[]): FieldError[] {
  return fields
    .filter((field) => !deepEqual(object[field], current[field]))
    .map((field) => ({ kind: "Forbidden", field, detail: "field is immutable when `immutable` is set" }));
}
