/** What `stint controller` finds out about a real API server that drops managedBy: with rights and without. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "./binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { startStintController } from "./stint-controller.ts";

const DROPPED = "drops managedBy: the built-in controller runs every Job, whomever it names";

describe.skipIf(whyUnavailable() !== undefined)("a server that drops managedBy", () => {
  let controlPlane: ControlPlane;
  beforeAll(async () => {
    controlPlane = await startControlPlane({
      users: [{ name: "limited" }],
      emulatedVersion: "1.34",
      featureGates: { JobManagedBy: false },
    });
  });
  afterAll(() => controlPlane?.stop());

  async function verbose(url: string): Promise<string> {
    for (;;) {
      const body = await (await fetch(`${url}/readyz?verbose`)).text();
      if (!body.includes("has not told its version yet")) return body;
    }
  }

  it("is no place for a controller of Jobs that name it", async () => {
    // It may end before it is ready.
    const ending = await startStintController(controlPlane, { flags: ["--leader-elect=false"] }).then(
      async ({ running }) => `${await running.ended}\n${running.log()}`,
      (error: Error) => error.message,
    );
    expect(ending).toContain("status 2");
    expect(ending).toContain(DROPPED);
    expect(await controlPlane.client().succeed("GET", "/apis/batch/v1/jobs")).toMatchObject({ items: [] });
  });

  it("is reported by the default controller", async () => {
    const flags = ["--leader-elect=false", "--default-controller"];
    const controller = await startStintController(controlPlane, { flags });
    expect(await verbose(controller.url)).toContain(DROPPED);
    await controller.stop();
  });

  it("is unknown without permission to create Jobs", async () => {
    const controller = await startStintController(controlPlane, { user: "limited", flags: ["--leader-elect=false"] });
    expect(await verbose(controller.url)).toMatch(
      /^not ready: .*\nKubernetes v1\.37\.\d+ keeps successPolicy, podReplacementPolicy; whether Kubernetes v1\.37\.\d+ keeps managedBy is unknown \(403: .*cannot create resource "jobs".*\); by default it keeps managedBy\n$/,
    );
    await controller.stop();
  });
});
