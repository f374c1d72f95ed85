/** ValidatingAdmissionPolicies with what they say of requests, and such as are refused themselves. */
import type { Ask, Request } from "../both-servers.ts";
import { play } from "../kinds/play.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";

interface Policy {
  readonly spec: object;
  /** What its binding says beside the name of the policy. */
  readonly binding?: object;
}

/** Policies that hold in a separate namespace, and requests there. */
interface PolicyCase {
  readonly name: string;
  readonly policies: readonly Policy[];
  /** There before the policies. */
  readonly before: readonly Request[];
  readonly requests: readonly Request[];
}

type Post = (resource: string, name: string, rest?: object) => Request;

const ROOTS: Readonly<Record<string, string>> = { jobs: "/apis/batch/v1" };

function postIn(namespace: string): Post {
  return (resource, name, { metadata, ...rest }: { metadata?: object } = {}) => ({
    method: "POST",
    path: `${ROOTS[resource] ?? "/api/v1"}/namespaces/${namespace}/${resource}`,
    body: { metadata: { name, ...metadata }, ...rest },
  });
}

/** The request for one object that another request has made. */
const one = ({ path, body }: Request, method: Request["method"], change?: object): Request => ({
  method,
  path: `${path}/${(body as { metadata: { name: string } }).metadata.name}`,
  ...(change && { body: change }),
});

const rule = (resource: string, operations = ["CREATE", "UPDATE"], rest: object = {}): object => ({
  operations,
  apiGroups: ["*"],
  apiVersions: ["*"],
  resources: [resource],
  ...rest,
});
const on = (resource: string, operations?: string[], rest: object = {}): object => ({
  matchConstraints: { resourceRules: [rule(resource, operations)], ...rest },
});

const container = { name: "c", image: "example.com/i:1", resources: { limits: { cpu: "500m", memory: "64Mi" } } };
const template = { metadata: { labels: { app: "a" } }, spec: { restartPolicy: "Never", containers: [container] } };
const job = (rest: object = {}): object => ({ spec: { backoffLimit: 4, parallelism: 2, template, ...rest } });
const pod = (rest: object = {}): object => ({
  spec: { serviceAccountName: "own", restartPolicy: "Never", containers: [container], ...rest },
});

function policyCase(name: string, policies: readonly Policy[], make: (post: Post) => Partial<PolicyCase>): PolicyCase {
  const post = postIn(namespaceOf(name));
  return { name, policies, before: [], requests: [], ...make(post) };
}

const namespaceOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "");

/** What expressions say of a Job: one policy each, which objects if the expression does not hold. */
const expressions: readonly string[] = [
  "object.spec.backoffLimit <= 3",
  "object.spec.parallelism == 2 && object.spec.template.spec.containers.size() > 1",
  "object.spec.template.spec.containers.all(c, c.image.startsWith('example.org/'))",
  "object.spec.template.spec.containers.exists_one(c, c.name == 'd')",
  "object.spec.template.spec.containers.map(c, c.name) == ['d']",
  "object.spec.template.spec.containers.filter(c, c.name != 'c').size() == 1",
  "object.spec.template.spec.containers.all(c, quantity(c.resources.limits.memory).isLessThan(quantity('32Mi')))",
  "has(object.metadata.labels) && 'team' in object.metadata.labels",
  "object.metadata.?labels[?'team'].orValue('none') != 'none'",
  "object.metadata.name.matches('^[0-9]+$')",
  "object.metadata.name.lowerAscii().split('-').join('/') == 'x'",
  "sets.contains(['a', 'b'], [object.metadata.name])",
  "string(object.spec.parallelism) + 'x' == '3x'",
  "int('7') - object.spec.parallelism * 2 == 2",
  "double(object.spec.parallelism) / 4.0 > 0.5",
  "object.spec.parallelism % 2 == 1",
  "oldObject != null",
  "request.operation == 'UPDATE'",
  "request.namespace == 'other'",
  "request.kind.kind + request.requestResource.group == 'JobX'",
  "request.userInfo.username == 'nobody'",
  "'system:authenticated' in request.userInfo.groups && false",
  "namespaceObject.metadata.name == 'other'",
  "namespaceObject.status.phase == 'Terminating'",
  "object.spec.none == 1",
  "object.spec.template.spec.containers[1].name == 'x'",
  "object.metadata.labels['team'] == 'a'",
  "object.spec.parallelism / 0 == 1",
  "object.spec.parallelism > 'a'",
  "int(object.metadata.name) == 1",
  "object.none.such == 1",
  "object.spec.none == 1 || object.spec.parallelism == 3",
  "duration('90m') == duration('1h')",
  "timestamp('2026-01-01T00:00:00Z') > timestamp('2026-06-01T00:00:00Z')",
  "object.spec.completionMode in ['Indexed']",
  "object.spec.suspend ? true : false",
  "dyn(object.spec.parallelism) == 2.5",
  "[1, 2, 3].sum() == 7 || [3, 1].isSorted() || [1, 2].max() == 3",
  "'%s is %d'.format([object.metadata.name, object.spec.parallelism]) == ''",
  "object.metadata.name.replace('j', 'k').substring(0, 1).upperAscii() == 'J'",
  "object.metadata.name.indexOf('z') >= 0",
  "type(object.spec.parallelism) == string",
  "isQuantity('x')",
  "object.metadata.name.find('[0-9]+') == '1' || object.metadata.name.findAll('[a-z]').size() == 100",
  "object.spec.template.spec.containers.exists(c, c.none == 'x')",
];

export const policyCases: readonly PolicyCase[] = [
  ...expressions.map((expression, index) =>
    policyCase(
      `expression ${index}: ${expression}`.slice(0, 60).trim(),
      [{ spec: { ...on("jobs"), validations: [{ expression }] } }],
      (post) => ({
        requests: [post("jobs", "job", job())],
      }),
    ),
  ),
  policyCase(
    "messages and reasons",
    [
      {
        spec: {
          ...on("configmaps"),
          validations: [
            { expression: "object.metadata.name != 'plain'" },
            { expression: "object.metadata.name != 'message'", message: " no messages " },
            {
              expression: "object.metadata.name != 'made'",
              message: "fixed",
              messageExpression: "'made of ' + object.metadata.name",
            },
            {
              expression: "object.metadata.name != 'fallen'",
              message: "fixed",
              messageExpression: "string(object.none)",
            },
            { expression: "object.metadata.name != 'spaces'", messageExpression: "'  '" },
            { expression: "object.metadata.name != 'lines'", message: "fixed", messageExpression: "'a\\nb'" },
            { expression: "object.metadata.name != 'forbidden'", reason: "Forbidden" },
            { expression: "object.metadata.name != 'large'", reason: "RequestEntityTooLarge" },
            { expression: "object.metadata.name\n  != 'two'" },
          ],
        },
      },
    ],
    (post) => ({
      requests: "plain message made fallen spaces lines forbidden large two other"
        .split(" ")
        .map((name) => post("configmaps", name)),
    }),
  ),
  policyCase(
    "warnings",
    [
      {
        spec: { ...on("configmaps"), validations: [{ expression: "false" }, { expression: "object.none == 1" }] },
        binding: { validationActions: ["Warn", "Audit"] },
      },
    ],
    (post) => ({ requests: [post("configmaps", "a")] }),
  ),
  policyCase(
    "audit only",
    [
      {
        spec: { ...on("configmaps"), validations: [{ expression: "false" }] },
        binding: { validationActions: ["Audit"] },
      },
    ],
    (post) => ({ requests: [post("configmaps", "a")] }),
  ),
  policyCase(
    "failures that are ignored",
    [
      {
        spec: {
          ...on("configmaps"),
          failurePolicy: "Ignore",
          validations: [{ expression: "object.none == 1" }, { expression: "object.metadata.name != 'b'" }],
        },
      },
    ],
    (post) => ({ requests: [post("configmaps", "a"), post("configmaps", "b")] }),
  ),
  policyCase(
    "conditions",
    [
      {
        spec: {
          ...on("configmaps"),
          matchConditions: [
            { name: "fails", expression: "object.data.k == 'v'" },
            { name: "fails-too", expression: "object.data.l == 'v'" },
            { name: "not-a", expression: "object.metadata.name != 'a'" },
          ],
          validations: [{ expression: "false", message: "all conditions hold" }],
        },
      },
    ],
    (post) => ({
      requests: [
        post("configmaps", "a"),
        post("configmaps", "b"),
        post("configmaps", "c", { data: { k: "v" } }),
        post("configmaps", "d", { data: { k: "v", l: "v" } }),
      ],
    }),
  ),
  policyCase(
    "variables",
    [
      {
        spec: {
          ...on("pods"),
          variables: [
            { name: "containers", expression: "object.spec.containers + object.spec.?initContainers.orValue([])" },
            { name: "images", expression: "variables.containers.map(c, c.image)" },
            { name: "broken", expression: "object.none.such" },
          ],
          validations: [
            {
              expression: "variables.images.all(i, i.startsWith('example.com/'))",
              messageExpression: "'images: ' + variables.images.join(', ')",
            },
            { expression: "object.metadata.name != 'broken' || variables.broken == 1" },
          ],
        },
      },
    ],
    (post) => ({
      before: [post("serviceaccounts", "own", { automountServiceAccountToken: false })],
      requests: [
        post("pods", "good", pod()),
        post("pods", "bad", pod({ initContainers: [{ name: "i", image: "example.org/i" }] })),
        post("pods", "broken", pod()),
      ],
    }),
  ),
  policyCase(
    "updates and deletions",
    [
      {
        spec: {
          ...on("configmaps", ["*"]),
          validations: [
            { expression: "request.operation != 'DELETE' || object == null" },
            { expression: "request.operation != 'DELETE' || !('keep' in oldObject.data)", message: "is kept" },
            {
              expression: "request.operation != 'UPDATE' || object.data.k == oldObject.data.k",
              message: "k does not change",
            },
          ],
        },
      },
    ],
    (post) => {
      const [kept, free] = [
        post("configmaps", "kept", { data: { keep: "", k: "1" } }),
        post("configmaps", "free", { data: { k: "1" } }),
      ];
      return {
        requests: [
          kept,
          free,
          one(kept, "PATCH", { data: { k: "2" } }),
          one(kept, "PATCH", { data: { l: "2" } }),
          one(kept, "PUT", { metadata: { name: "kept" }, data: { k: "3" } }),
          one(kept, "DELETE"),
          one(free, "DELETE"),
        ],
      };
    },
  ),
  policyCase(
    "subresources",
    [
      {
        spec: {
          ...on("jobs/status"),
          validations: [{ expression: "!has(object.status.ready) || object.status.ready < 2" }],
        },
      },
      { spec: { ...on("jobs"), validations: [{ expression: "object.spec.parallelism < 5" }] } },
    ],
    (post) => {
      const made = post("jobs", "job", job());
      const status = { ...one(made, "PATCH", { status: { ready: 3 } }) };
      return {
        requests: [
          made,
          { ...status, path: `${status.path}/status` },
          one(made, "PATCH", { spec: { parallelism: 6 } }),
        ],
      };
    },
  ),
  policyCase(
    "rules of bindings",
    [
      {
        spec: { ...on("*"), validations: [{ expression: "false" }] },
        binding: {
          matchResources: {
            resourceRules: [rule("configmaps", ["CREATE"], { resourceNames: ["a", "b", "c"] })],
            excludeResourceRules: [rule("configmaps", ["*"], { resourceNames: ["b"] })],
            objectSelector: { matchExpressions: [{ key: "free", operator: "DoesNotExist" }] },
          },
        },
      },
    ],
    (post) => ({
      requests: [
        post("configmaps", "a"),
        post("configmaps", "b"),
        post("configmaps", "c", { metadata: { labels: { free: "yes" } } }),
        post("configmaps", "d"),
        post("secrets", "a"),
      ],
    }),
  ),
  ...Object.entries({
    "by name": { name: "list" },
    "by name that is missing": { name: "none" },
    "by name that may be missing": { name: "none", parameterNotFoundAction: "Allow" },
    "in a namespace": { name: "list", namespace: "default" },
    "by labels": { selector: { matchLabels: { list: "yes" } } },
    "by labels that nobody has": { selector: { matchLabels: { list: "no" } } },
  }).map(([what, paramRef]) =>
    policyCase(
      `parameters ${what}`,
      [
        {
          spec: {
            ...on("secrets"),
            paramKind: { apiVersion: "v1", kind: "ConfigMap" },
            matchConditions: [{ name: "has-data", expression: "params == null || has(params.data)" }],
            validations: [
              {
                expression: "object.metadata.name in params.data",
                messageExpression: "params.metadata.name + ' of kind ' + params.kind + ' does not have it'",
              },
            ],
          },
          binding: { paramRef: { parameterNotFoundAction: "Deny", ...paramRef } },
        },
      ],
      (post) => ({
        before: [post("configmaps", "list", { metadata: { labels: { list: "yes" } }, data: { a: "" } })],
        requests: [post("secrets", "a"), post("secrets", "b")],
      }),
    ),
  ),
  policyCase(
    "parameters in no namespace",
    [
      {
        spec: {
          ...on("priorityclasses"),
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          validations: [{ expression: "params == null" }],
        },
        binding: { paramRef: { name: "a", parameterNotFoundAction: "Allow" } },
      },
    ],
    () => ({
      requests: [
        {
          method: "POST",
          path: "/apis/scheduling.k8s.io/v1/priorityclasses",
          body: { metadata: { name: "judged" }, value: 1 },
        },
      ],
    }),
  ),
  policyCase(
    "parameters that are not named",
    [
      {
        spec: {
          ...on("secrets"),
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          validations: [{ expression: "params != null", message: "no parameters" }],
        },
      },
    ],
    (post) => ({ requests: [post("secrets", "a")] }),
  ),
  policyCase(
    "parameters of an unknown kind",
    [
      {
        spec: {
          ...on("secrets"),
          paramKind: { apiVersion: "example.com/v1", kind: "List" },
          validations: [{ expression: "params != null" }],
        },
        binding: { paramRef: { name: "a", parameterNotFoundAction: "Deny" } },
      },
    ],
    (post) => ({ requests: [post("secrets", "a")] }),
  ),
  policyCase(
    "parameters without a namespace",
    [
      {
        spec: {
          ...on("secrets"),
          paramKind: { apiVersion: "v1", kind: "Node" },
          validations: [{ expression: "params != null" }],
        },
        binding: { paramRef: { name: "a", namespace: "default", parameterNotFoundAction: "Deny" } },
      },
    ],
    (post) => ({ requests: [post("secrets", "a")] }),
  ),
];

/** Makes the policies of all cases, and what has to be there before. The last one holds when all others do. */
export async function setUp(ask: Ask): Promise<unknown[]> {
  const requests: Request[] = [];
  for (const { name, policies, before } of policyCases) {
    const namespace = namespaceOf(name);
    requests.push({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } }, ...before);
    for (const [index, { spec, binding }] of policies.entries())
      requests.push(...withBinding(`${namespace}-${index}`, spec, namespace, binding));
  }
  const last = { ...on("configmaps"), validations: [{ expression: "false" }] };
  requests.push({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "last" } } });
  requests.push(...withBinding("last", last, "last"));
  return play(ask, requests);
}

/** Whether the policies hold. A real API server looks at them every second. */
export async function hold(ask: Ask): Promise<boolean> {
  return (await ask(postIn("last")("configmaps", "a"))).status === 422;
}

function withBinding(name: string, spec: object, namespace: string, binding: object = {}): readonly Request[] {
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
  const { matchConstraints } = spec as { matchConstraints: object };
  return [
    {
      method: "POST",
      path: `${GROUP}/validatingadmissionpolicies`,
      body: { metadata: { name }, spec: { ...spec, matchConstraints: { ...matchConstraints, namespaceSelector } } },
    },
    {
      method: "POST",
      path: `${GROUP}/validatingadmissionpolicybindings`,
      body: { metadata: { name }, spec: { policyName: name, validationActions: ["Deny"], ...binding } },
    },
  ];
}

const valid = { ...on("pods"), validations: [{ expression: "true" }] };
const withRule = (rest: object): object => ({
  ...valid,
  matchConstraints: { resourceRules: [{ ...rule("pods"), ...rest }] },
});

const refusedPolicies: readonly object[] = [
  {},
  { ...valid, validations: [{ expression: "object.a.b", messageExpression: "oldObject.a" }] },
  { matchConstraints: {}, validations: [] },
  { ...valid, failurePolicy: "Never" },
  { ...valid, paramKind: {} },
  { ...valid, paramKind: { apiVersion: "a/b/c", kind: "a b" } },
  { ...valid, paramKind: { apiVersion: "A/1", kind: "K" } },
  { ...valid, paramKind: { apiVersion: "a/", kind: "K" } },
  { ...valid, matchConstraints: { matchPolicy: "Some", resourceRules: [rule("pods")] } },
  {
    ...valid,
    matchConstraints: {
      resourceRules: [rule("pods")],
      namespaceSelector: { matchLabels: { "a b": "c d" } },
      objectSelector: {
        matchExpressions: [
          { key: "", operator: "In" },
          { key: "a", operator: "Exists", values: ["b"] },
          { key: "a", operator: "Is", values: ["!"] },
        ],
      },
    },
  },
  withRule({ operations: [], apiGroups: [], apiVersions: [], resources: [] }),
  withRule({ operations: ["*", "CREATE", "WATCH"], apiGroups: ["*", ""], apiVersions: ["*", "v1", ""] }),
  withRule({ resources: ["", "pods/*", "pods/status", "*/status", "jobs/status", "*/*", "*", "jobs"] }),
  withRule({ scope: "All", resourceNames: ["a/b", "..", "c", "c"] }),
  {
    ...valid,
    matchConditions: [
      { name: "", expression: " " },
      { name: "a b", expression: "1" },
      { name: "c", expression: "true" },
      { name: "c", expression: "'a'" },
    ],
  },
  {
    ...valid,
    variables: [
      { name: " ", expression: "" },
      { name: "a-b", expression: "1" },
      { name: "while", expression: "1" },
    ],
  },
  {
    ...valid,
    validations: [
      { expression: " ", message: " ", messageExpression: " ", reason: "Conflict" },
      { expression: "1", message: "a\nb", messageExpression: "1" },
    ],
  },
  {
    ...on("pods"),
    auditAnnotations: [
      { key: "a b", valueExpression: "" },
      { key: "c", valueExpression: "1" },
      { key: "c", valueExpression: "'a'" },
    ],
  },
];

const action = { validationActions: ["Deny"] };
const refusedBindings: readonly object[] = [
  {},
  { policyName: "A", ...action },
  { policyName: "a", validationActions: ["Deny", "Warn", "Tell", "Deny"] },
  { policyName: "a", ...action, paramRef: {} },
  {
    policyName: "a",
    ...action,
    paramRef: {
      name: "a/b",
      selector: { matchLabels: { "": "" } },
      parameterNotFoundAction: "Warn",
    },
  },
  { policyName: "a", ...action, matchResources: { resourceRules: [{}], excludeResourceRules: [{}] } },
];

/** Policies and bindings that break the rules of their kinds. */
export const refusals: readonly Request[] = [
  ...refusedPolicies.map((spec): Request => ({
    method: "POST",
    path: `${GROUP}/validatingadmissionpolicies?dryRun=All`,
    body: { metadata: { name: "refused" }, spec },
  })),
  ...refusedBindings.map((spec): Request => ({
    method: "POST",
    path: `${GROUP}/validatingadmissionpolicybindings?dryRun=All`,
    body: { metadata: { name: "refused" }, spec },
  })),
];
