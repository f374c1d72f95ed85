/** Admission webhooks, played by functions: who hears of what, what they may change, and what comes of a failure. */
import { beforeEach, describe, expect, test } from "vitest";
import { chain } from "../../../../cluster/apiserver/admission-plugins/chain.ts";
import { Conversations, Draws } from "../../../../cluster/apiserver/admission-plugins/pending-review.ts";
import type { Call, CallAnswer } from "../../../../cluster/apiserver/contract/webhook-call.ts";
import { mutatingWebhooks, validatingWebhooks } from "../../../../cluster/apiserver/admission-plugins/webhooks.ts";
import { serveCustomResources } from "../../../../cluster/bootstrap/custom-resources.ts";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import type { Method } from "../../../../bindings/js/host.ts";
import { VirtualClock } from "../../../../cluster/time/clock.ts";
import { reviewedTransport } from "../../../../cluster/bootstrap/reviewed-transport.ts";
import { crds, widget, widgetDefinition } from "../../../kubernetes/custom-resources/widgets.ts";
import { configMap, configMaps, Harness, seededRandom } from "../harness.ts";

const group = "example.com";
const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1";
const rule = { operations: ["*"], apiGroups: [""], apiVersions: ["*"], resources: ["configmaps"] };

/** What a webhook says about the request of a review. */
type Say = (request: any) => object;

let harness: Harness;
let conversations: Conversations;
let says: Record<string, Say>;
let heard: any[];
let isDown: boolean;
let extra: (call: Call) => void;

beforeEach(() => {
  [says, heard, isDown, extra] = [{}, [], false, () => {}];
  const draws = new Draws(seededRandom(3));
  harness = new Harness({ random: draws.next, moreResources, plugins: chain([mutatingWebhooks, validatingWebhooks]) });
  conversations = new Conversations(draws, (call, done) => done(answerTo(call)));
});

function answerTo(call: Call): CallAnswer {
  if (isDown) return { failure: 'Post "https://w": dial tcp: connection refused' };
  const { request } = call.review as { request: any };
  heard.push(request);
  extra(call);
  const response = { uid: request.uid, allowed: true, ...says[call.client.url!.slice("https://".length)]?.(request) };
  return { review: { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", response } };
}

function ask(method: Method, path: string, body?: object, headers: Record<string, string> = {}): any {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  let answer: any;
  conversations.handle(
    { method, path, headers, user: { name: "anna", groups: ["team"] }, ...text },
    (request) => harness.cluster.handle(request),
    (outcome) => (answer = outcome()),
  );
  return { status: answer.status, warnings: answer.headers.warning ?? [], body: JSON.parse(answer.body) };
}

function register(kind: "mutating" | "validating", name: string, more: object = {}, say?: Say): void {
  const webhook = {
    name: `${name}.example.com`,
    clientConfig: { url: `https://${name}` },
    rules: [rule],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...more,
  };
  const path = `${CONFIGURATIONS}/${kind}webhookconfigurations`;
  expect(ask("POST", path, { metadata: { name }, webhooks: [webhook] }).status).toBe(201);
  if (say) says[name] = say;
}

const patch = (...operations: object[]): object => ({
  patchType: "JSONPatch",
  patch: btoa(JSON.stringify(operations)),
});
const label = (name: string, value = "x"): object => ({ op: "add", path: `/metadata/labels/${name}`, value });
const labelled = configMap("c", { labels: { a: "b" } });

describe("a validating webhook", () => {
  test("reviews each write, with its user and the object to store", () => {
    register("validating", "v");
    expect(ask("POST", `${configMaps}?fieldManager=me`, labelled).status).toBe(201);
    ask(
      "PATCH",
      `${configMaps}/c?dryRun=All`,
      { data: { k: "v" } },
      { "content-type": "application/merge-patch+json" },
    );
    ask("DELETE", `${configMaps}/c`);
    const kind = { group: "", version: "v1", kind: "ConfigMap" };
    expect(heard.map(({ operation, dryRun, name, namespace }) => [operation, dryRun, name, namespace])).toEqual([
      ["CREATE", false, "c", "default"],
      ["UPDATE", true, "c", "default"],
      ["DELETE", false, "c", "default"],
    ]);
    expect(heard[0]).toMatchObject({
      kind,
      requestKind: kind,
      oldObject: null,
      userInfo: { username: "anna", groups: ["team"] },
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me" },
    });
    expect([heard[1].oldObject.data, heard[1].object.data]).toEqual([undefined, { k: "v" }]);
    expect([heard[2].object, heard[2].oldObject.metadata.name]).toEqual([null, "c"]);
  });

  test("refuses in its own words", () => {
    register("validating", "v", {}, () => ({ allowed: false, status: { code: 422, message: "not like this" } }));
    expect(ask("POST", configMaps, labelled)).toMatchObject({
      status: 422,
      body: { code: 422, message: 'admission webhook "v.example.com" denied the request: not like this' },
    });
    says["v"] = () => ({ allowed: false });
    expect(ask("POST", configMaps, labelled).body).toMatchObject({
      code: 400,
      message: 'admission webhook "v.example.com" denied the request without explanation',
    });
    expect(harness.get(`${configMaps}/c`).status).toBe(404);
  });

  test("warns", () => {
    register("validating", "v", {}, () => ({ warnings: ["careful"] }));
    expect(ask("POST", configMaps, labelled).warnings).toEqual(['299 - "careful"']);
  });

  test("does not hear of what a rule refuses before", () => {
    register("validating", "v");
    expect(ask("POST", configMaps, configMap("UPPER")).status).toBe(422);
    expect(heard).toEqual([]);
  });

  test("hears of the name and the uid that the object then has", () => {
    register("validating", "v");
    register("mutating", "m");
    const { body } = ask("POST", configMaps, { metadata: { generateName: "c-" } });
    // Nothing of it is drawn yet when it can still be changed.
    expect(heard.map(({ object }) => [object.metadata.name, object.metadata.uid])).toEqual([
      [undefined, undefined],
      [body.metadata.name, body.metadata.uid],
    ]);
  });

  test("is asked again if the object has changed while it was asked", () => {
    ask("POST", configMaps, labelled);
    register("validating", "v");
    extra = () => {
      extra = () => {};
      ask("PATCH", `${configMaps}/c`, { data: { other: "1" } }, json);
    };
    const json = { "content-type": "application/merge-patch+json" };
    expect(ask("PATCH", `${configMaps}/c`, { data: { k: "v" } }, json).body.data).toEqual({ other: "1", k: "v" });
    expect(heard.map(({ object }) => object.data)).toEqual([{ k: "v" }, { other: "1" }, { other: "1", k: "v" }]);
  });
});

describe("who hears of what", () => {
  const hears = (more: object, body: object = labelled): boolean => {
    register("validating", "v", more);
    ask("POST", configMaps, body);
    return heard.length > 0;
  };
  const cases: Readonly<Record<string, readonly [more: object, isHeard: boolean]>> = {
    "another operation": [{ rules: [{ ...rule, operations: ["UPDATE", "DELETE"] }] }, false],
    "another group": [{ rules: [{ ...rule, apiGroups: ["batch"] }] }, false],
    "another scope": [{ rules: [{ ...rule, scope: "Cluster" }] }, false],
    "a subresource": [{ rules: [{ ...rule, resources: ["configmaps/status"] }] }, false],
    "every resource": [{ rules: [{ ...rule, resources: ["*"] }] }, true],
    "a label that it has": [{ objectSelector: { matchLabels: { a: "b" } } }, true],
    "a label that it has not": [
      { objectSelector: { matchExpressions: [{ key: "a", operator: "DoesNotExist" }] } },
      false,
    ],
    "its namespace": [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } } }, true],
    "another namespace": [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "x" } } }, false],
    "a condition that holds": [
      {
        matchConditions: [
          { name: "c", expression: "object.metadata.labels.a == 'b' && request.userInfo.username == 'anna'" },
        ],
      },
      true,
    ],
    "a condition that does not": [{ matchConditions: [{ name: "c", expression: "oldObject != null" }] }, false],
  };
  test.each(Object.entries(cases))("%s", (_name, [more, isHeard]) => expect(hears(more)).toBe(isHeard));

  test("a condition that cannot be evaluated fails the write, or is ignored", () => {
    const condition = { matchConditions: [{ name: "c", expression: "object.none.such == 1" }] };
    register("validating", "v", condition);
    expect(ask("POST", configMaps, labelled).body.message).toContain("no such key: none");
    ask("DELETE", `${CONFIGURATIONS}/validatingwebhookconfigurations/v`);
    register("validating", "v", { ...condition, failurePolicy: "Ignore" });
    expect(ask("POST", configMaps, labelled).status).toBe(201);
  });

  test("an event of one group is heard of as that of the other", () => {
    register("validating", "v", { rules: [{ ...rule, apiGroups: ["events.k8s.io"], resources: ["events"] }] });
    const path = "/api/v1/namespaces/default/events";
    ask("POST", path, { metadata: { name: "e" }, involvedObject: { namespace: "default" }, message: "m" });
    expect(heard).toMatchObject([
      {
        kind: { group: "events.k8s.io" },
        requestKind: { group: "" },
        object: { apiVersion: "events.k8s.io/v1", note: "m" },
      },
    ]);
  });

  test("nothing keeps a client from repairing a configuration", () => {
    register("validating", "v", { rules: [{ ...rule, apiGroups: ["*"], resources: ["*"] }] }, () => ({
      allowed: false,
    }));
    expect(ask("DELETE", `${CONFIGURATIONS}/validatingwebhookconfigurations/v`).status).toBe(200);
  });
});

describe("a mutating webhook", () => {
  test("changes what is stored, and the next one sees it", () => {
    register("mutating", "m1", {}, () => patch(label("one")));
    register("mutating", "m2", {}, ({ object }) => patch(label("two", object.metadata.labels.one)));
    expect(ask("POST", configMaps, labelled).body.metadata.labels).toEqual({ a: "b", one: "x", two: "x" });
    expect(heard).toHaveLength(2);
  });

  test("is asked once more if it wants to, after another one has changed the object", () => {
    register("mutating", "m1", { reinvocationPolicy: "IfNeeded" });
    register("mutating", "m2", {}, () => patch(label("two")));
    ask("POST", configMaps, labelled);
    expect(heard.map(({ object }) => Object.keys(object.metadata.labels))).toEqual([["a"], ["a"], ["a", "two"]]);
  });

  test("cannot make an object that is not valid", () => {
    register("mutating", "m", {}, () => patch({ op: "add", path: "/metadata/labels/a", value: "not a label!" }));
    expect(ask("POST", configMaps, labelled).status).toBe(422);
  });

  const unusable: Readonly<Record<string, readonly [object, string]>> = {
    "a patch without a type": [{ patch: "W10=" }, "webhook returned response.patch but not response.patchType"],
    "another uid": [{ uid: "other" }, 'expected response.uid="'],
    "a patch that does not fit": [patch({ op: "remove", path: "/data/none" }), "Internal error occurred"],
  };
  test.each(Object.entries(unusable))("fails the write with %s", (_name, [response, message]) => {
    register("mutating", "m", {}, () => response);
    const { status, body } = ask("POST", configMaps, labelled);
    expect([status, body.message]).toEqual([500, expect.stringContaining(message)]);
  });
});

describe("a webhook that does not answer", () => {
  const message =
    'Internal error occurred: failed calling webhook "v.example.com": failed to call webhook: Post "https://w": dial tcp: connection refused';
  test("fails the write", () => {
    register("validating", "v");
    isDown = true;
    expect(ask("POST", configMaps, labelled)).toMatchObject({
      status: 500,
      body: { reason: "InternalError", message },
    });
  });
  test("or is ignored, if it says so", () => {
    register("validating", "v", { failurePolicy: "Ignore" });
    register("mutating", "v", { failurePolicy: "Ignore" });
    isDown = true;
    expect(ask("POST", configMaps, labelled).status).toBe(201);
  });
});

test.each([
  [{ warnings: 5 }, "warnings"],
  [{ warnings: [5] }, "warnings"],
  [{ patch: 5, patchType: "JSONPatch" }, "patch"],
  [{ allowed: false, status: { code: "abc" } }, "status"],
  [{ allowed: false, status: { code: 99_999 } }, "status"],
  [{ allowed: false, status: { message: {} } }, "status"],
  [{ allowed: false, status: 5 }, "status"],
])("an answer that is none fails the write: %j", (said, wrong) => {
  register("mutating", "m", {}, () => said);
  expect(ask("POST", configMaps, labelled)).toMatchObject({
    status: 500,
    body: {
      message: `Internal error occurred: failed calling webhook "m.example.com": received invalid webhook response: webhook returned response.${wrong} of a wrong type`,
    },
  });
});

test("an eviction is reviewed as one, before it takes from a budget, and its deletion is not", () => {
  register("validating", "v", { rules: [{ ...rule, resources: ["*/*"] }] });
  const pod = { metadata: { name: "p", labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const pods = "/api/v1/namespaces/default/pods";
  expect(ask("POST", pods, pod).status).toBe(201);
  heard = [];
  expect(ask("POST", `${pods}/p/eviction`, { metadata: { name: "p" } }).status).toBe(201);
  expect(heard).toMatchObject([
    { operation: "CREATE", kind: { group: "policy", kind: "Eviction" }, subResource: "eviction", name: "p" },
  ]);
});

test("a binding that is refused binds no pod", () => {
  register("validating", "v", { rules: [{ ...rule, resources: ["pods/binding"] }] }, () => ({ allowed: false }));
  const pods = "/api/v1/namespaces/default/pods";
  ask("POST", pods, { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } });
  const binding = { metadata: { name: "p" }, target: { kind: "Node", name: "n" } };
  expect(ask("POST", `${pods}/p/binding`, binding).body.message).toContain("denied the request");
  expect(ask("GET", `${pods}/p`).body.spec.nodeName).toBeUndefined();
});

test("webhooks hear of what the server does for definitions of custom resources", () => {
  const clock = new VirtualClock(Date.now());
  harness = new Harness({
    clock,
    moreResources,
    plugins: chain([validatingWebhooks]),
    wrapTransport: (transport, own) => reviewedTransport(transport, own, conversations, clock),
  });
  serveCustomResources({ cluster: harness.cluster, clock });
  const definition = `${crds}/widgets.${group}`;
  const isThere = (): boolean => harness.get(definition).status === 200;
  ask("POST", crds, widgetDefinition(group) as object);
  clock.runDeferred();
  ask("POST", `/apis/${group}/v1/namespaces/default/widgets`, widget(group, "w") as object);
  let mayGo = false;
  const rules = [{ ...rule, apiGroups: [group], resources: ["widgets"] }];
  register("validating", "v", { rules }, () => ({ allowed: mayGo }));
  heard = [];
  expect(ask("DELETE", definition).status).toBe(200);
  clock.advance(1_000);
  expect(heard).toMatchObject([{ operation: "DELETE", name: "w" }]);
  expect(isThere()).toBe(true);
  mayGo = true;
  clock.advance(5_000);
  expect(isThere()).toBe(false);
});

test("a deletion of many is answered with all of them, and asks about each once", () => {
  for (const name of ["a", "b", "c"]) ask("POST", configMaps, configMap(name, { labels: { a: "b" } }));
  register("validating", "v");
  heard = [];
  const { body } = ask("DELETE", `${configMaps}?labelSelector=a`);
  expect(body.items.map(({ metadata }: any) => metadata.name)).toEqual(["a", "b", "c"]);
  expect(heard.map(({ name, operation }) => `${operation} ${name}`)).toEqual(["DELETE a", "DELETE b", "DELETE c"]);
  expect(harness.get(`${configMaps}?labelSelector=a`).body.items).toEqual([]);
});
