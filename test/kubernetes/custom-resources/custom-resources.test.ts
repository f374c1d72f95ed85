/**
 * CustomResourceDefinitions and their objects are a real API server's: the same requests have the same answers.
 *
 * The answers are kept in recorded-answers.jsonl, with which `npm test` compares without a real server
 * (test/cluster/apiserver/custom-resources/custom-resources.test.ts). To update them:
 *
 *     npm run test:cluster -- custom-resources --update
 */
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../../../cluster/index.ts";
import { written, type Send } from "../apply/play.ts";
import { whyUnavailable } from "../binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { play } from "./play.ts";
import { SEQUENCES } from "./sequences.ts";

interface Definition {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly spec: { readonly group: string; readonly names: object };
  readonly status: {
    readonly acceptedNames: object;
    readonly conditions: readonly { readonly type: string; readonly reason: string }[] | null;
  };
}

describe.skipIf(whyUnavailable() !== undefined)("custom resources", () => {
  let controlPlane: ControlPlane;
  let send: Send;
  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const client = controlPlane.client();
    send = (method, path, body, contentType) => client.request(method, path, body, contentType);
  });
  afterAll(() => controlPlane?.stop());

  /** Until the server's controllers have done their part. */
  async function settle(path: string): Promise<void> {
    for (;;) {
      const { status, body } = await send("GET", path);
      if (status === 404 || (await isSettled(body as unknown as Definition))) break;
      await setTimeout(100);
    }
    // The handler of the objects sees the definition a little later, and nothing says when: on a busy machine it takes
    // half a second.
    await setTimeout(1500);
  }

  async function isSettled({ metadata, spec, status }: Definition): Promise<boolean> {
    const has = (type: string, reason: string): boolean =>
      status.conditions?.some((condition) => condition.type === type && condition.reason === reason) ?? false;
    // It stays as long as finalizers hold an object.
    if (metadata.deletionTimestamp !== undefined)
      return has("Terminating", "InstanceDeletionInProgress") && (await countOf(spec.group)) > 0;
    const hasNames = JSON.stringify(sorted(spec.names)) === JSON.stringify(sorted(status.acceptedNames));
    return hasNames && has("Established", "InitialNamesAccepted");
  }

  async function countOf(group: string): Promise<number> {
    const { body } = await send("GET", `/apis/${group}/v1/widgets`);
    return (body as { items?: unknown[] }).items?.length ?? 0;
  }

  it("are recorded as the real server answers", async () => {
    const lines = await Promise.all(
      SEQUENCES.map(async (sequence, index): Promise<string> => {
        const answers: readonly Json[] = await play(sequence, `g${index}.example.com`, send, settle);
        return written(sequence, answers);
      }),
    );
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("recorded-answers.jsonl");
  });
});

function sorted(names: object): unknown {
  return Object.entries(names).toSorted();
}
