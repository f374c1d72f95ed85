/** An address that holds a recording, as a failed test prints it: the page plays the recording. */
import { deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startCluster } from "../../../host-node/testing/index.ts";
import { hasChromium } from "./chromium.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 120_000;

describe.skipIf(!hasChromium("test/host-browser/browser/recording-address.e2e.test.ts"))(
  "a recording in the address",
  () => {
    const site = new Site();

    test("is played: the page shows the Job of the test", { timeout: TIMEOUT_MS }, async () => {
      const cluster = await startCluster();
      const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } };
      const spec = { backoffLimit: 1, template };
      cluster.outcomes("job/broken", { exitCode: 3 });
      await cluster.apply({ apiVersion: "batch/v1", kind: "Job", metadata: { name: "broken" }, spec });
      await cluster.untilIdle();
      await cluster.stop();
      const fragment = `#r1/${deflateRawSync(cluster.recording()).toString("base64url")}`;
      const opened = await site.open(fragment);
      const { pods, decisions } = await opened.finished();
      expect(pods).toBe(2);
      expect(decisions).toBeGreaterThan(5);
      // The panels come after the picture.
      await opened.page.getByText("job/broken").first().waitFor();
      expect(opened.faults).toEqual([]);
    });
  },
);
