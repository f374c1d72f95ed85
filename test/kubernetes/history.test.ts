/**
 * From a bad controller to the finding: Stint on a real API server, with its requests changed on the way as a bug would
 * have sent them, a history written down, and judged by rules that know nothing of it. Without any change the same Job
 * keeps all rules.
 */
import { afterEach, describe, expect, it } from "vitest";
import { checkHistory, type Verdict } from "../history/check.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { isOver } from "./conditions.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { recordHistory } from "./history-recorder.ts";
import { boundTemplate, startKwok } from "./kwok.ts";
import { startStintController } from "./stint-controller.ts";
import { type Passing, startTamperingProxy, type Tampering } from "./tampering-proxy.ts";

const USER = "stint";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";

const isCreation = ({ method, path }: Passing): boolean => method === "POST" && path.endsWith("/pods");

/** The status that a patch is to write; undefined: it is no status patch. */
function statusOf({ method, path, body }: Passing): Record<string, any> | undefined {
  return method === "PATCH" && path.endsWith("/status")
    ? (JSON.parse(body) as { status: Record<string, any> }).status
    : undefined;
}

function withStatus(request: Passing, changes: object): Passing {
  return {
    ...request,
    body: JSON.stringify({ ...JSON.parse(request.body), status: { ...statusOf(request), ...changes } }),
  };
}

interface Bug {
  readonly bug: string;
  readonly breaks: string;
  readonly completionMode: "Indexed" | "NonIndexed";
  readonly tampering: Tampering;
}

const BUGS: readonly Bug[] = [
  // Were they not of one index, the first could have succeeded before the second came, and made room.
  {
    bug: "every pod is made twice",
    breaks: "an index has one pod at a time, and none when it is done",
    completionMode: "Indexed",
    tampering: (request) => (isCreation(request) ? [request, request] : [request]),
  },
  {
    bug: "finalizers are taken off before the status is written",
    breaks: "a finalizer goes only after the status that counts its pod",
    completionMode: "NonIndexed",
    tampering: (request) => {
      const { uncountedTerminatedPods } = statusOf(request) ?? {};
      // What is uncounted is kept from the status: the finalizers go off all the same.
      return uncountedTerminatedPods === undefined
        ? [request]
        : [withStatus(request, { uncountedTerminatedPods: null })];
    },
  },
  {
    bug: "a failure is counted that did not happen",
    breaks: "counters move by what leaves the uncounted lists",
    completionMode: "NonIndexed",
    tampering: (request) => (statusOf(request) === undefined ? [request] : [withStatus(request, { failed: 1 })]),
  },
];

describe.skipIf(whyUnavailable() !== undefined)("a history of a real API server", () => {
  let controlPlane: ControlPlane | undefined;
  afterEach(() => controlPlane?.stop());

  /** One Job by Stint, whose requests are tampered with. */
  async function verdictOf(completionMode: string, tampering: Tampering): Promise<Verdict> {
    controlPlane = await startControlPlane({ audit: "objects", users: [{ name: USER, groups: ["system:masters"] }] });
    const recorder = await recordHistory(controlPlane);
    await startKwok(controlPlane);
    const proxy = await startTamperingProxy(controlPlane, USER, tampering);
    const controller = await startStintController(controlPlane, {
      kubeconfig: proxy.kubeconfig,
      flags: ["--default-controller", "--leader-elect=false"],
    });
    const client = controlPlane.client();
    await client.succeed("POST", JOBS, {
      metadata: { name: "judged" },
      spec: { completionMode, completions: 4, parallelism: 2, template: boundTemplate() },
    });
    await client.waitFor(JOBS, isOver);
    await controller.stop();
    await proxy.stop();
    client.close();
    return checkHistory(await recorder.finish([{ user: USER, program: "stint" }]));
  }

  it("keeps all rules without tampering", async () => {
    const verdict = await verdictOf("Indexed", (request) => [request]);
    expect(verdict).toMatchObject({ findings: [], counts: { jobs: 1, pods: 4 } });
  });

  it.each(BUGS)("shows that $bug", async ({ breaks, completionMode, tampering }) => {
    const { findings } = await verdictOf(completionMode, tampering);
    expect(findings.map(({ rule }) => rule)).toContain(breaks);
  });
});
