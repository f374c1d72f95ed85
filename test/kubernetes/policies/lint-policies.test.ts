/**
 * The policies of `stint lint --emit-policy` on a real API server: it finds nothing wrong with their types, and says of
 * the lint vectors what lint says.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { policiesOf } from "../../../host-node/cli/lint/policy/policies.ts";
import { codesIn, policyPath, policyVectors } from "../../host-node/cli/lint/policy-vectors.ts";
import { whyUnavailable } from "../binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { startUpstreamController } from "../upstream-controller.ts";

const DEFAULT = { rule: {}, managers: undefined, gitOps: false } as const;
const vectors = policyVectors.filter(({ options }) => JSON.stringify(options) === JSON.stringify(DEFAULT));

describe.skipIf(whyUnavailable() !== undefined)("lint as policies", () => {
  let controlPlane: ControlPlane;
  const policies = policiesOf(DEFAULT) as any[];
  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const client = controlPlane.client();
    for (const object of policies) await client.succeed("POST", policyPath(object.kind), object);
    // A binding takes effect a moment after it is stored.
    const endless = {
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    };
    const jobs = "/apis/batch/v1/namespaces/default/jobs?dryRun=All";
    await vi.waitFor(
      async () =>
        expect((await client.request("POST", jobs, { metadata: { name: "j" }, ...endless })).warnings).not.toEqual([]),
      { timeout: 60_000, interval: 200 },
    );
  });
  afterAll(() => controlPlane.stop());

  it("have no mistake of types", async () => {
    await startUpstreamController(controlPlane, { controllers: ["validatingadmissionpolicy-status-controller"] });
    const client = controlPlane.client();
    for (const { kind, metadata } of policies) {
      if (kind !== "ValidatingAdmissionPolicy") continue;
      const checked = await client.waitFor<any>(
        `${policyPath(kind)}?fieldSelector=metadata.name%3D${metadata.name}`,
        ({ status }) => status?.typeChecking !== undefined,
      );
      expect(checked.status.typeChecking).toEqual({});
    }
  });

  it("say of the vectors what lint says", async () => {
    const client = controlPlane.client();
    const wrong: object[] = [];
    for (const { name, code, resource, object, speaks } of vectors) {
      const path = `/apis/batch/v1/namespaces/default/${resource}?dryRun=All`;
      const { status, body, warnings } = await client.request<any>("POST", path, object);
      const spoken = codesIn([...warnings, status === 201 ? "" : String(body.message)]);
      if (spoken.includes(code) !== speaks || (status !== 201 && spoken.length === 0))
        wrong.push({ name, speaks, status, spoken, message: body.message });
    }
    expect(wrong).toEqual([]);
    expect(vectors.length).toBeGreaterThan(120);
  });
});
