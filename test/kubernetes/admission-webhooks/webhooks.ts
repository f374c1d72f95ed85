/** Admission webhooks, each in a separate namespace, and requests there. */
import { type Ask, comparable, type Request } from "../both-servers.ts";
import { play } from "../kinds/play.ts";
import type { WebhookServer } from "./webhook-server.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";

interface Webhook {
  /** How it answers: webhook-server.ts. */
  readonly how: string;
  readonly isMutating?: boolean;
  readonly more?: object;
}

interface WebhookCase {
  readonly name: string;
  readonly webhooks: readonly Webhook[];
  readonly requests: readonly Request[];
}

const namespaceOf = (name: string): string => name.replaceAll(/[^a-z0-9]+/g, "-");

type Post = (resource: string, name: string, rest?: object) => Request;

function postIn(namespace: string): Post {
  return (resource, name, { metadata, ...rest }: { metadata?: object } = {}) => ({
    method: "POST",
    path: `${resource === "jobs" ? "/apis/batch/v1" : "/api/v1"}/namespaces/${namespace}/${resource}`,
    body: { metadata: { name, ...metadata }, ...rest },
  });
}

const one = ({ path, body }: Request, method: Request["method"], change?: object): Request => ({
  method,
  path: `${path}/${(body as { metadata: { name: string } }).metadata.name}`,
  ...(change && { body: change }),
});

function webhookCase(
  name: string,
  webhooks: readonly Webhook[],
  make?: (post: Post) => readonly Request[],
): WebhookCase {
  const post = postIn(namespaceOf(name));
  return { name, webhooks, requests: make?.(post) ?? [post("configmaps", "a")] };
}

const mutating = (how: string, more: object = {}): Webhook => ({ how, isMutating: true, more });
const validating = (how: string, more: object = {}): Webhook => ({ how, more });
const condition = (...expressions: string[]): object => ({
  matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
});
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "example.com/i:1" }] } };
const rules = (rest: object): object => ({
  rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], ...rest }],
});

const PARTS = rules({ resources: ["bindings", "pods/binding", "pods/eviction"] });

/** A pod is bound and evicted, by its name and by the collection of bindings. */
function podParts(post: Post): readonly Request[] {
  const spec = { serviceAccountName: "own", ...template.spec };
  const [p, q] = ["p", "q"].map((name) => post("pods", name, { spec }));
  const part = (pod: Request, name: string, body: object): Request => {
    const { path } = one(pod, "POST");
    return { method: "POST", path: `${path}/${name}`, body: { metadata: { name: path.split("/").at(-1) }, ...body } };
  };
  const binding = { target: { kind: "Node", name: "n" } };
  return [
    post("serviceaccounts", "own"),
    ...[p!, q!],
    part(p!, "binding", { ...binding, metadata: { name: "p", annotations: { a: "b" } } }),
    post("bindings", "q", binding),
    part(p!, "eviction", { apiVersion: "policy/v1", kind: "Eviction", deleteOptions: { gracePeriodSeconds: 0 } }),
    part(q!, "eviction", { apiVersion: "policy/v1", kind: "Eviction" }),
    one(p!, "GET"),
    one(q!, "GET"),
  ];
}

export const webhookCases: readonly WebhookCase[] = [
  ..."allow warn deny deny-message deny-reason deny-code deny-low deny-warn data typed untyped other-uid"
    .split(" ")
    .map((how) => webhookCase(`validating ${how}`, [validating(how)])),
  ..."label deny-message deny-code no-patch typed untyped merge spoil other-uid"
    .split(" ")
    .map((how) => webhookCase(`mutating ${how}`, [mutating(how)])),
  ..."fails missing empty silent"
    .split(" ")
    .flatMap((how) => [
      webhookCase(`answer ${how}`, [validating(how)]),
      webhookCase(`ignored answer ${how}`, [validating(how, { failurePolicy: "Ignore" })]),
    ]),
  webhookCase("nobody listens", [validating("allow", { clientConfig: { url: "https://127.0.0.1:1/path" } })]),
  webhookCase("another authority", [validating("allow", { clientConfig: { caBundle: undefined } })]),
  webhookCase("no service", [
    validating("allow", { clientConfig: { service: { namespace: "none", name: "none", path: "/p" } } }),
  ]),
  webhookCase("time is up", [validating("never", { timeoutSeconds: 1 })]),
  webhookCase("time that is up is ignored", [mutating("never", { timeoutSeconds: 1, failurePolicy: "Ignore" })]),
  webhookCase("a life", [mutating("label", rules({ operations: ["CREATE"] })), validating("allow")], (post) => {
    const made = post("configmaps", "a", { data: { k: "1" } });
    return [
      { ...made, path: `${made.path}?dryRun=All&fieldManager=me` },
      { ...made, path: `${made.path}?fieldValidation=Strict` },
      one(made, "PATCH", { data: { k: "2" } }),
      one(made, "PUT", { metadata: { name: "a" }, data: { k: "3" } }),
      one(made, "PATCH", { data: { k: "3" } }),
      one(made, "DELETE", { dryRun: ["All"] }),
      one(made, "DELETE", { gracePeriodSeconds: 0, propagationPolicy: "Foreground" }),
    ];
  }),
  webhookCase("a Job and its status", [validating("allow")], (post) => {
    const job = post("jobs", "job", { metadata: { labels: { app: "a" } }, spec: { template } });
    const status = one(job, "PATCH", { status: { ready: 1 } });
    return [job, { ...status, path: `${status.path}/status` }];
  }),
  ...["allow", "deny-message"].map((how) =>
    webhookCase(`a binding and an eviction ${how}`, [validating(how, PARTS)], podParts),
  ),
  webhookCase("a changed binding and eviction", [mutating("label", PARTS)], podParts),
  webhookCase("a generated name", [mutating("label"), validating("allow")], (post) => [
    post("configmaps", "", { metadata: { generateName: "g-" } }),
  ]),
  webhookCase("several", [mutating("label"), mutating("data"), validating("warn"), validating("deny-message")]),
  webhookCase("once more", [mutating("label", { reinvocationPolicy: "IfNeeded" }), mutating("data")]),
  webhookCase(
    "conditions",
    [validating("deny-message", condition("object.metadata.name != 'a'", "request.operation == 'CREATE'"))],
    (post) => [post("configmaps", "a"), post("configmaps", "b")],
  ),
  webhookCase(
    "conditions that fail",
    [validating("allow", condition("object.none == 1", "object.data.k == 'v'"))],
    (post) => [
      post("configmaps", "a"),
      post("configmaps", "b", { data: { k: "w" } }),
      post("configmaps", "c", { data: { k: "v" } }),
    ],
  ),
  webhookCase("conditions that fail are ignored", [
    mutating("data", { ...condition("object.none == 1"), failurePolicy: "Ignore" }),
  ]),
  webhookCase(
    "objects with a label",
    [validating("deny", { objectSelector: { matchExpressions: [{ key: "k", operator: "In", values: ["v"] }] } })],
    (post) => {
      const made = post("configmaps", "a");
      return [
        made,
        one(made, "PATCH", { metadata: { labels: { k: "v" } } }),
        post("configmaps", "b", { metadata: { labels: { k: "v" } } }),
      ];
    },
  ),
  webhookCase(
    "an event as another group has it",
    [validating("allow", rules({ apiGroups: ["events.k8s.io"], resources: ["events"] }))],
    (post) => [
      post("events", "e", {
        involvedObject: { namespace: "an-event-as-another-group-has-it" },
        message: "m",
        source: { component: "c" },
      }),
    ],
  ),
  webhookCase(
    "an event as it is",
    [validating("allow", { ...rules({ apiGroups: ["events.k8s.io"], resources: ["events"] }), matchPolicy: "Exact" })],
    (post) => [post("events", "e", { involvedObject: { namespace: "an-event-as-it-is" }, message: "m" })],
  ),
];

/** Makes the webhooks of all cases. */
export async function setUp(ask: Ask, server: WebhookServer): Promise<void> {
  const requests: Request[] = [];
  for (const { name, webhooks } of [
    ...webhookCases,
    { name: "last", webhooks: [mutating("deny"), validating("deny")] },
  ]) {
    const namespace = namespaceOf(name);
    requests.push({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
    for (const [index, webhook] of webhooks.entries())
      requests.push(configuration(`${namespace}-${index}`, webhook, namespace, server));
  }
  for (const request of requests) {
    const { status, body } = await ask(request);
    if (status !== 201) throw new Error(`${request.path}: ${body.message}`);
  }
}

function configuration(
  name: string,
  { how, isMutating = false, more = {} }: Webhook,
  namespace: string,
  server: WebhookServer,
): Request {
  const { clientConfig, ...rest } = more as { clientConfig?: object };
  const caBundle = Buffer.from(server.certificate.authority).toString("base64");
  const url = `https://127.0.0.1:${server.port}/${name}/${how}`;
  const place = clientConfig && "service" in clientConfig ? {} : { url };
  const webhook = {
    name: `${name}.example.com`,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    clientConfig: { caBundle, ...place, ...clientConfig },
    ...rest,
  };
  const resource = isMutating ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations";
  return { method: "POST", path: `${GROUP}/${resource}`, body: { metadata: { name }, webhooks: [webhook] } };
}

/** Whether the webhooks are asked. A real API server takes some time to see them. */
export async function areAsked(ask: Ask): Promise<boolean> {
  const { status, body } = await ask(postIn("last")("configmaps", "a"));
  return status === 400 && body.message.includes('"last-0.example.com"');
}

/** Both kinds of configurations come by separate watches. */
export async function validatingAreAsked(ask: Ask): Promise<boolean> {
  await ask({ method: "DELETE", path: `${GROUP}/mutatingwebhookconfigurations/last-0` });
  const { status, body } = await ask(postIn("last")("configmaps", "a"));
  return status === 400 && body.message.includes('"last-1.example.com"');
}

/** The answers, and what the webhooks received. */
export async function playCase({ requests }: WebhookCase, ask: Ask, server: WebhookServer): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  server.heard();
  for (const request of requests) {
    const [answer] = await play(ask, [request]);
    const heard = server.heard().toSorted((a, b) => a.path.localeCompare(b.path));
    outcomes.push(
      withoutDrawn({ answer, heard: heard.map(({ path, review }) => ({ path, review: comparable(review) })) }, server),
    );
  }
  return outcomes;
}

function withoutDrawn(value: unknown, { port }: WebhookServer): unknown {
  const text = JSON.stringify(value).replaceAll(`127.0.0.1:${port}`, "127.0.0.1:PORT");
  return JSON.parse(text.replaceAll(/"g-[a-z0-9]{5}"/g, '"g-DRAWN"')) as unknown;
}
