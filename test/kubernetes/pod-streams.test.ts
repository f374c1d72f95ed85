/**
 * exec, attach and portforward of pods on a real API server and on the in-memory one: the same discovery entries, and
 * the same refusals. What needs a kubelet is left out.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "./binaries/binaries.ts";
import { BothServers } from "./both-servers.ts";

const PODS = "/api/v1/namespaces/default/pods";
const container = (name: string): object => ({ name, image: "none" });
const pod = (name: string, spec: object): object => ({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec });

describe.skipIf(whyUnavailable() !== undefined)("streams of pods on a real API server and on the in-memory one", () => {
  let servers: BothServers;
  beforeAll(async () => {
    servers = await BothServers.start({ withoutAdmissionPlugins: ["ServiceAccount"] });
    const addresses = [{ type: "InternalIP", address: "127.0.0.1" }];
    const bodies = {
      "/api/v1/nodes": [{ apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status: { addresses } }],
      [PODS]: [
        pod("one", { nodeName: "n", containers: [container("main")], initContainers: [container("init")] }),
        pod("two", { nodeName: "n", containers: [container("a"), container("b")], initContainers: [container("i")] }),
        pod("nowhere", { containers: [container("main")] }),
      ],
    };
    for (const [path, objects] of Object.entries(bodies))
      for (const body of objects) {
        const { upstream, stint } = await servers.ask({ method: "POST", path, body });
        expect([upstream.status, stint.status], JSON.stringify(upstream.body)).toEqual([201, 201]);
      }
  });
  afterAll(() => servers?.stop());

  it("stand in the discovery", async () => {
    const { upstream, stint } = await servers.ask({ method: "GET", path: "/api/v1" });
    const entries = ({ body }: { body: any }): object[] =>
      body.resources.filter(({ name }: { name: string }) => /^pods\/(attach|exec|portforward)$/.test(name));
    expect(entries(upstream)).toHaveLength(3);
    expect(entries(stint)).toEqual(entries(upstream));
  });

  it.each([
    ...["one/exec?command=ls", "one/attach", "one/portforward", "one/exec?container=init"],
    ...["two/exec", "two/attach?stdout=true", "two/exec?container=c", "two/exec?container=i", "two/portforward"],
    ...["nowhere/exec", "nowhere/attach", "nowhere/portforward", "none/exec", "none/attach", "none/portforward"],
  ])("%s", async (path) => {
    for (const method of ["GET", "POST"] as const) {
      const { upstream, stint } = await servers.ask({ method, path: `${PODS}/${path}` });
      expect(upstream.status).toBeGreaterThanOrEqual(400);
      expect(stint).toEqual(upstream);
    }
  });
});
