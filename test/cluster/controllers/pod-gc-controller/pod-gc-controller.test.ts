/** Pods that no controller looks after (test/kubernetes/disturbed-pods.test.ts compares with upstream's controller). */
import { beforeEach, expect, test } from "vitest";
import {
  CHECK_PERIOD_MS,
  podGCController,
  QUARANTINE_MS,
} from "../../../../cluster/controllers/pod-gc-controller/pod-gc-controller.ts";
import { failure, Harness } from "../../component-harness.ts";

let h: Harness;
beforeEach(() => {
  h = new Harness();
  const { clock, random, transport } = h;
  podGCController({ clock, random, transport }).start();
  h.clock.advance(100);
});

const FINALIZERS = { finalizers: ["example.com/seen"] };

test("a pod whose node does not come fails as disrupted, and is deleted at once", () => {
  h.createPod("p", {}, FINALIZERS);
  h.clock.advance(QUARANTINE_MS - 1);
  expect(h.pod("p").status.phase).toBe("Pending");
  h.clock.advance(2 * CHECK_PERIOD_MS);
  expect(h.pod("p")).toMatchObject({
    metadata: { deletionGracePeriodSeconds: 0 },
    status: {
      phase: "Failed",
      conditions: [
        {
          type: "DisruptionTarget",
          status: "True",
          reason: "DeletionByPodGC",
          message: "PodGC: node no longer exists",
        },
      ],
    },
  });
});

test("a pod whose node is there, or comes in time, stays", () => {
  h.createPod("p", {}, FINALIZERS);
  h.clock.advance(QUARANTINE_MS / 2);
  h.api("POST", "/api/v1/nodes", { metadata: { name: "n1" } });
  h.clock.advance(10 * QUARANTINE_MS);
  expect(h.pod("p").status.phase).toBe("Pending");
  h.api("DELETE", "/api/v1/nodes/n1");
  h.clock.advance(QUARANTINE_MS + 2 * CHECK_PERIOD_MS);
  expect(h.pod("p").status.phase).toBe("Failed");
});

test("a pod that has ended goes as it is", () => {
  h.createPod("p", {}, FINALIZERS);
  const status = { phase: "Succeeded" };
  h.api("PATCH", "/api/v1/namespaces/default/pods/p/status", { status }, "application/merge-patch+json");
  h.clock.advance(QUARANTINE_MS + 2 * CHECK_PERIOD_MS);
  expect(h.pod("p")).toMatchObject({ metadata: { deletionGracePeriodSeconds: 0 }, status: { phase: "Succeeded" } });
  expect(h.pod("p").status.conditions).toBeUndefined();
});

test("a pod that is deleted before it has a node fails, also when the server fails at first", () => {
  h.createPod("p", { nodeName: undefined }, FINALIZERS);
  h.api("DELETE", "/api/v1/namespaces/default/pods/p");
  h.fault = ({ method }) => (method === "PATCH" ? failure(500, "x") : undefined);
  h.clock.advance(CHECK_PERIOD_MS);
  expect(h.pod("p").status.phase).toBe("Pending");
  h.fault = () => undefined;
  h.clock.advance(2 * CHECK_PERIOD_MS);
  expect(h.pod("p").status.phase).toBe("Failed");
});
