/**
 * Admission webhooks that refuse what a Job controller writes, because no server answers for them: failurePolicy Fail,
 * and a Service that does not exist or has no ready pod. Webhooks with a `url` cannot be judged from here.
 */
import {
  type ApiResource,
  ENDPOINT_SLICES,
  resourcePath,
  SERVICES,
  withQuery,
} from "../../../cluster/client/client.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import type { Commands } from "./commands.ts";
import type { Finding } from "./finding.ts";
import type {
  EndpointSlice,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "../../../cluster/values/kinds.ts";

const KINDS = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"] as const;
/** The writes of a Job controller: operation, group, resource. */
const WRITES = [
  ["UPDATE", "", "pods", "the removal of finalizers"],
  ["CREATE", "", "pods", "new pods"],
  ["DELETE", "", "pods", "the deletion of pods"],
  ["UPDATE", "batch", "jobs/status", "the status of Jobs"],
] as const;

interface Webhook {
  readonly name: string;
  readonly failurePolicy?: string;
  readonly clientConfig: { readonly service?: { readonly namespace: string; readonly name: string } };
  readonly rules?: readonly { operations?: string[]; apiGroups?: string[]; resources?: string[] }[];
}

type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;

export async function unreachableWebhooks(reader: ClusterReader, commands: Commands): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const kind of KINDS) {
    const plural = `${kind.toLowerCase()}s`;
    const resource: ApiResource<Configuration> = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind,
      plural,
      namespaced: false,
    };
    for (const configuration of await reader.all(resource, plural))
      findings.push(...(await unreachableOf(configuration, kind.toLowerCase(), reader, commands)));
  }
  return findings;
}

async function unreachableOf(
  { metadata: { name }, ...configuration }: Configuration,
  kind: string,
  reader: ClusterReader,
  commands: Commands,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [i, webhook] of ((configuration.webhooks ?? []) as Webhook[]).entries()) {
    const writes = WRITES.filter((write) => matches(webhook, write)).map(([, , , what]) => what);
    if (webhook.failurePolicy === "Ignore" || writes.length === 0) continue;
    const problem = await problemOf(webhook, reader);
    if (problem === undefined) continue;
    findings.push({
      id: "WebhookUnreachable",
      kind,
      name,
      sentence: `${webhook.name} must be asked about ${writes.join(", ")}, and ${problem}`,
      fix: commands.replace(
        { kind, name },
        { path: `/webhooks/${i}/name`, value: webhook.name },
        `/webhooks/${i}/failurePolicy`,
        "Ignore",
      ),
    });
  }
  return findings;
}

/** Selectors and conditions may leave some of these writes out. */
function matches({ rules = [] }: Webhook, [operation, group, resource]: (typeof WRITES)[number]): boolean {
  const [plural, subresource] = resource.split("/");
  // `*` is every resource, and `pods/*` every subresource of pods; neither is both.
  const names = subresource === undefined ? ["*/*", "*", plural] : ["*/*", `*/${subresource}`, `${plural}/*`, resource];
  return rules.some(
    ({ operations = [], apiGroups = [], resources = [] }) =>
      operations.some((each) => each === "*" || each === operation) &&
      apiGroups.some((each) => each === "*" || each === group) &&
      resources.some((each) => names.includes(each)),
  );
}

/** Why its Service does not answer; undefined: it may. */
async function problemOf({ clientConfig: { service } }: Webhook, reader: ClusterReader): Promise<string | undefined> {
  if (service === undefined) return undefined;
  const { namespace, name } = service;
  const found = await reader.one(resourcePath(SERVICES, namespace, name), "Services of webhooks");
  if (found === "missing") return `there is no Service ${name} in namespace ${namespace}`;
  if (found === undefined || found.spec?.type === "ExternalName") return undefined;
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const path = withQuery(resourcePath(ENDPOINT_SLICES, namespace), { labelSelector });
  const slices = await reader.one(path, "EndpointSlices of webhooks");
  if (slices === undefined || slices === "missing") return undefined;
  const endpoints = ((slices.items ?? []) as EndpointSlice[]).flatMap((slice) => slice.endpoints ?? []);
  const isReady = endpoints.some(({ conditions }) => conditions?.ready !== false);
  return isReady ? undefined : `no pod of its Service ${namespace}/${name} is ready`;
}
