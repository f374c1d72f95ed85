/** A cluster that has what clients expect of a whole one, with its controllers at work. */
import { afterEach, expect, it } from "vitest";
import { VirtualCluster } from "./virtual-cluster.ts";

const DEFAULT = "/api/v1/namespaces/default";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const EVENTS = `${DEFAULT}/events?fieldSelector=involvedObject.name=`;

let cluster: VirtualCluster;
afterEach(() => cluster.stop());

function job(name: string, container: object = {}, podSpec: object = {}): object {
  const containers = [{ name: "c", image: "example.com/i:1", ...container }];
  return { metadata: { name }, spec: { template: { spec: { restartPolicy: "Never", containers, ...podSpec } } } };
}

const eventsOf = (name: string): string[] =>
  cluster.api("GET", `${EVENTS}${name}`).items.map(({ reason, message }: any) => `${reason}: ${message}`);

it("a Job whose pods ask for more than a LimitRange allows says so in an event", async () => {
  cluster = await VirtualCluster.start({ servesClients: true });
  const limits = [{ type: "Container", max: { cpu: "1" } }];
  cluster.api("POST", `${DEFAULT}/limitranges`, { metadata: { name: "l" }, spec: { limits } });
  cluster.api("POST", JOBS, job("greedy", { resources: { limits: { cpu: "2" } } }));
  cluster.clock.advance(1_000);
  expect(eventsOf("greedy").map((text) => text.replace(/greedy-\w{5}/, "POD"))).toContain(
    'FailedCreate: Error creating: pods "POD" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
  );
});

it("a token says whose it is, for whom, and how long", async () => {
  cluster = await VirtualCluster.start({ servesClients: true });
  cluster.clock.advance(1_000);
  const { uid } = cluster.api("GET", `${DEFAULT}/serviceaccounts/default`).metadata;
  const { status } = cluster.api("POST", `${DEFAULT}/serviceaccounts/default/token`, {
    spec: { expirationSeconds: 700 },
  });
  const [header, claims, signature] = status.token.split(".").map((part: string) => Buffer.from(part, "base64url"));
  const { iat } = JSON.parse(claims);
  expect(JSON.parse(header)).toEqual({ alg: "ES256", kid: expect.any(String) });
  expect(JSON.parse(claims)).toEqual({
    aud: ["https://kubernetes.default.svc.cluster.local"],
    exp: iat + 700,
    iat: Math.floor(cluster.clock.now() / 1000),
    iss: "https://kubernetes.default.svc.cluster.local",
    jti: expect.any(String),
    "kubernetes.io": { namespace: "default", serviceaccount: { name: "default", uid } },
    nbf: iat,
    sub: "system:serviceaccount:default:default",
  });
  expect(signature).toHaveLength(64);
});

it("a Job starts another pod for one that a taint has evicted, and counts no failure", async () => {
  cluster = await VirtualCluster.start({ servesClients: true });
  const annotations = { "stint.dev/simulate": '{"runMs": 60000}' };
  const template = {
    metadata: { annotations },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "example.com/i:1" }] },
  };
  const rules = [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }];
  const spec = { backoffLimit: 0, podFailurePolicy: { rules }, template };
  cluster.api("POST", JOBS, { metadata: { name: "j" }, spec });
  cluster.clock.advance(5_000);
  const [node] = cluster.api("GET", "/api/v1/nodes").items;
  const patch = (taints: object[]): unknown =>
    cluster.api(
      "PATCH",
      `/api/v1/nodes/${node.metadata.name}`,
      { spec: { taints } },
      {
        "content-type": "application/merge-patch+json",
      },
    );
  patch([{ key: "sick", effect: "NoExecute" }]);
  cluster.clock.advance(60_000);
  patch([]);
  cluster.clock.advance(120_000);
  expect(cluster.api("GET", `${JOBS}/j`).status).toMatchObject({
    succeeded: 1,
    conditions: [{ type: "SuccessCriteriaMet" }, { type: "Complete" }],
  });
});

const claimsIn = (token: string): { readonly jti: string } =>
  JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());

it("an account is known by its token, as long as it and the token hold", async () => {
  cluster = await VirtualCluster.start({ servesClients: true });
  cluster.clock.advance(1_000);
  const request = (spec: object): string =>
    cluster.api("POST", `${DEFAULT}/serviceaccounts/default/token`, { spec }).status.token;
  const token = request({ expirationSeconds: 600 });
  cluster.api("POST", `${DEFAULT}/secrets`, { metadata: { name: "s" } });
  const bound = request({ boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "s" } });
  const { uid } = cluster.api("GET", `${DEFAULT}/serviceaccounts/default`).metadata;
  const prefix = "authentication.kubernetes.io";
  const userWith = (shown: string, extra: object = {}): object => ({
    name: "system:serviceaccount:default:default",
    uid,
    groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    extra: { [`${prefix}/credential-id`]: [`JTI=${claimsIn(shown).jti}`], ...extra },
  });
  expect([cluster.whoseToken(token), cluster.whoseToken(bound)]).toEqual([userWith(token), userWith(bound)]);
  expect(cluster.whoseToken(request({ audiences: ["another"] }))).toBeUndefined();
  const [head, claims, signature] = token.split(".") as [string, string, string];
  const forged = Buffer.from(claims, "base64url").toString().replaceAll("default", "another");
  const unsigned = Buffer.from('{"alg":"none"}').toString("base64url");
  const wrong = [
    ...[`${head}.${Buffer.from(forged).toString("base64url")}.${signature}`, `${head}.${claims}.`, "..", "x"],
    ...[`${token}.`, `${unsigned}.${claims}.`],
  ];
  expect(wrong.map((text) => cluster.whoseToken(text))).toEqual(wrong.map(() => undefined));
  cluster.api("DELETE", `${DEFAULT}/secrets/s`);
  expect(cluster.whoseToken(bound)).toBeUndefined();
  const node = cluster.api("POST", "/api/v1/nodes", { metadata: { name: "n" } });
  const onNode = request({ boundObjectRef: { apiVersion: "v1", kind: "Node", name: "n" } });
  expect(cluster.whoseToken(onNode)).toEqual(
    userWith(onNode, { [`${prefix}/node-name`]: ["n"], [`${prefix}/node-uid`]: [node.metadata.uid] }),
  );
  cluster.api("DELETE", "/api/v1/nodes/n");
  expect(cluster.whoseToken(onNode)).toBeUndefined();
  cluster.clock.advance(600_000);
  expect(cluster.whoseToken(token)).toBeUndefined();
  const later = request({});
  expect(cluster.whoseToken(later)).toEqual(userWith(later));
  cluster.api("DELETE", `${DEFAULT}/serviceaccounts/default`);
  cluster.clock.advance(1_000);
  expect(cluster.whoseToken(bound)).toBeUndefined();
});
