/**
 * The engine's admission says of doubtful manifests what a real API server says: the same status, message, causes and
 * warnings.
 *
 * Both get the same bytes, as a dry run; nothing is known here of what should come out. UIDs are the only thing that is
 * taken out. Leaves out updates, and what docs/spec/api.md leaves out of a pod's spec.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VirtualClock } from "../../cluster/time/clock.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { TESTED_VERSION } from "./tested-version.ts";
import { type DoubtfulManifest, DOUBTFUL_MANIFESTS } from "./doubtful-manifests.ts";

const PATHS = {
  Job: "/apis/batch/v1/namespaces/default/jobs?dryRun=All",
  Pod: "/api/v1/namespaces/default/pods?dryRun=All",
} as const;
const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const MIN_REFUSED = 100;

interface Answer {
  readonly status: number;
  readonly reason?: string;
  readonly message?: string;
  readonly causes?: unknown;
}

interface Body {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly causes?: readonly { readonly field: string; readonly reason: string }[];
  };
}

/** Of a refusal: all that it says. Else that there is none. */
function answerOf(
  status: number,
  { reason, message, details }: Body,
  { manifest, difference }: DoubtfulManifest,
): Answer {
  if (status < 300) return { status };
  const { name = "" } = details ?? {};
  const isGenerated = name !== "" && !JSON.stringify(manifest).includes(name);
  const text = JSON.stringify({ status, reason, message, causes: details?.causes }).replaceAll(UID, "UID");
  const answer = JSON.parse(isGenerated ? text.replaceAll(name, "NAME") : text) as Answer;
  return difference === undefined
    ? answer
    : { status, causes: details?.causes?.map(({ field, reason: why }) => ({ field, reason: why })) };
}

describe.skipIf(whyUnavailable() !== undefined)("doubtful manifests", () => {
  let controlPlane: ControlPlane;
  let embedded: EmbeddedCluster;
  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const fail = (error: Error): never => {
      throw error;
    };
    embedded = await EmbeddedCluster.create({
      clock: new VirtualClock(Date.now()),
      nodes: [],
      kubernetes: TESTED_VERSION,
      onFatal: fail,
    });
  });
  afterAll(() => controlPlane?.stop());

  async function upstream(doubtful: DoubtfulManifest): Promise<Answer> {
    const { status, body } = await controlPlane.client().request<Body>("POST", PATHS[doubtful.kind], doubtful.manifest);
    return answerOf(status, body, doubtful);
  }

  function stint(doubtful: DoubtfulManifest): Answer {
    const response = embedded.cluster.handle({
      method: "POST",
      path: PATHS[doubtful.kind],
      headers: { "content-type": "application/json" },
      body: JSON.stringify(doubtful.manifest),
    });
    if (!("body" in response)) throw new Error(`${doubtful.what} is answered with a stream`);
    return answerOf(response.status, JSON.parse(String(response.body)) as Body, doubtful);
  }

  it.each(DOUBTFUL_MANIFESTS.map((doubtful) => [doubtful.what, doubtful] as const))("%s", async (_what, doubtful) => {
    expect(stint(doubtful)).toEqual(await upstream(doubtful));
  });

  it("are mostly refused, and each differs from the others in what it is", async () => {
    const answers = DOUBTFUL_MANIFESTS.map(stint);
    expect(answers.filter(({ status }) => status === 422).length).toBeGreaterThanOrEqual(MIN_REFUSED);
    expect(new Set(DOUBTFUL_MANIFESTS.map(({ what }) => what)).size).toBe(DOUBTFUL_MANIFESTS.length);
  });
});
