/**
 * pods/ephemeralcontainers on a real API server and on the in-memory one: the same discovery entry, pods, owners of
 * fields and refusals. What a kubelet makes of it is left out.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "./binaries/binaries.ts";
import { BothServers, type Request } from "./both-servers.ts";

const PODS = "/api/v1/namespaces/default/pods";
const PATH = `${PODS}/p/ephemeralcontainers`;
const STRATEGIC = "application/strategic-merge-patch+json";
const debug = (more: object = {}): object => ({ name: "debug", image: "busybox", ...more });

/** Upstream prints a difference of its structs. */
function withoutDifference(answer: any): any {
  const cut = (text: string): string => text.replace(/(may not be changed\n)[^]*/, "$1…");
  const causes = answer.body.details?.causes?.map((cause: any) => ({ ...cause, message: cut(cause.message) }));
  if (causes === undefined) return answer;
  const details = { ...answer.body.details, causes };
  return { ...answer, body: { ...answer.body, message: cut(answer.body.message), details } };
}

describe.skipIf(whyUnavailable() !== undefined)("ephemeral containers on both API servers", () => {
  let servers: BothServers;
  beforeAll(async () => {
    servers = await BothServers.start({ withoutAdmissionPlugins: ["ServiceAccount"] });
    const spec = {
      serviceAccountName: "default",
      containers: [{ name: "main", image: "none" }],
      initContainers: [{ name: "init", image: "none" }],
      volumes: [{ name: "v", emptyDir: {} }],
    };
    for (const name of ["p", "static"]) {
      const annotations = name === "static" ? { "kubernetes.io/config.mirror": "x" } : {};
      const node = name === "static" ? { nodeName: "n" } : {};
      const body = { apiVersion: "v1", kind: "Pod", metadata: { name, annotations }, spec: { ...spec, ...node } };
      const { upstream, stint } = await servers.ask({ method: "POST", path: PODS, body });
      expect([upstream.status, stint.status], JSON.stringify(upstream.body)).toEqual([201, 201]);
    }
  });
  afterAll(() => servers?.stop());

  const same = async (request: Request, status: number): Promise<any> => {
    const { upstream, stint } = await servers.ask(request);
    expect(withoutDifference(stint)).toEqual(withoutDifference(upstream));
    expect(upstream.status, JSON.stringify(upstream.body)).toBe(status);
    return upstream.body;
  };
  const patch = (containers: unknown, status: number, path = PATH, more: object = {}): Promise<any> =>
    same(
      { method: "PATCH", path, contentType: STRATEGIC, body: { ...more, spec: { ephemeralContainers: containers } } },
      status,
    );

  it("stand in the discovery", async () => {
    const { upstream, stint } = await servers.ask({ method: "GET", path: "/api/v1" });
    const entry = ({ body }: any): object =>
      body.resources.find(({ name }: any) => name === "pods/ephemeralcontainers");
    expect(entry(upstream)).toBeDefined();
    expect(entry(stint)).toEqual(entry(upstream));
  });

  it.each([
    ["without a name or an image", {}],
    ["with the name of a container", debug({ name: "main" })],
    ["with the name of an init container", debug({ name: "init" })],
    ["with a bad name", debug({ name: "No_Name" })],
    ["for a container that is not there", debug({ targetContainerName: "other" })],
    ["for itself", debug({ targetContainerName: "debug" })],
    ["with ports and resources", debug({ ports: [{ containerPort: 80 }], resources: { limits: { cpu: "1" } } })],
    [
      "with probes and hooks",
      debug({ livenessProbe: { exec: { command: ["a"] } }, lifecycle: { preStop: { sleep: { seconds: 1 } } } }),
    ],
    ["with a policy of its own", debug({ restartPolicy: "Always" })],
    ["with a volume that is not there", debug({ volumeMounts: [{ name: "none", mountPath: "/a" }] })],
    ["with a part of a volume", debug({ volumeMounts: [{ name: "v", mountPath: "/a", subPath: "b" }] })],
    ["with a bad variable and policy", debug({ env: [{ name: "" }], imagePullPolicy: "Sometimes" })],
    ["with an unknown policy for messages", debug({ terminationMessagePolicy: "No" })],
  ])("refuse one %s", async (_what, container) => {
    await same(
      {
        method: "PATCH",
        path: PATH,
        contentType: "application/merge-patch+json",
        body: { spec: { ephemeralContainers: [container] } },
      },
      422,
    );
  });

  it("are added, and neither changed nor removed", async () => {
    const pod = await patch([debug({ command: ["sh"], stdin: true, tty: true, targetContainerName: "main" })], 200);
    expect(pod.spec.ephemeralContainers).toHaveLength(1);
    expect(pod.metadata.generation).toBe(2);
    // A strategic patch has the name as its key; others replace the list.
    await patch([debug({ name: "second", volumeMounts: [{ name: "v", mountPath: "/v" }] })], 200);
    await patch([debug({ image: "other" })], 422);
    await patch([{ name: "debug", $patch: "delete" }], 422);
    await patch([], 200);
    await patch(null, 422);
    const read = await same({ method: "GET", path: PATH }, 200);
    expect(read.spec.ephemeralContainers.map(({ name }: any) => name)).toHaveLength(2);
  });

  it("are all that a write changes", async () => {
    const pod = await patch([debug({ name: "third" })], 200, PATH, { metadata: { labels: { a: "b" } } });
    expect(pod.metadata.labels).toBeUndefined();
    const read = await same({ method: "GET", path: PATH }, 200);
    read.spec.containers[0].image = "another";
    read.spec.ephemeralContainers.push(debug({ name: "fourth" }));
    for (const field of ["uid", "resourceVersion", "creationTimestamp", "managedFields"]) delete read.metadata[field];
    const stored = await same({ method: "PUT", path: PATH, body: read }, 200);
    expect([stored.spec.containers[0].image, stored.spec.ephemeralContainers.length]).toEqual(["none", 4]);
  });

  it("are refused where there cannot be any", async () => {
    await patch([debug()], 404, `${PODS}/none/ephemeralcontainers`);
    await patch([debug()], 422, `${PODS}/static/ephemeralcontainers`);
    const spec = { containers: [{ name: "main", image: "none" }], ephemeralContainers: [debug()] };
    const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "new" }, spec };
    await same({ method: "POST", path: PODS, body }, 422);
    await same({ method: "POST", path: PATH, body }, 405);
    await same({ method: "DELETE", path: PATH }, 405);
    await same({ method: "PUT", path: PATH, body: { ...body, metadata: { name: "other" } } }, 400);
  });
});
