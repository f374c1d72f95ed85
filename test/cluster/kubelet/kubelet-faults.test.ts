/** The kubelet when requests fail, streams break and processes restart: nothing is lost, nothing is done twice. */
import { beforeEach, describe, expect, test } from "vitest";
import type { ApiRequest } from "../../../bindings/js/host.ts";
import { failure, Harness, seeded } from "../component-harness.ts";

const simulate = (outcome: object) => ({ annotations: { "stint.dev/simulate": JSON.stringify(outcome) } });
const isStatusWrite = ({ method, path }: ApiRequest) => method === "PATCH" && path.endsWith("/pods/p/status");

let h: Harness;
beforeEach(() => {
  h = new Harness();
});

/** Fails the first `count` requests that match. */
function failFirst(
  count: number,
  matches: (request: ApiRequest) => boolean,
  fault: ReturnType<Harness["fault"]>,
): void {
  let left = count;
  h.fault = (request) => (left > 0 && matches(request) ? (left--, fault) : undefined);
}

describe("status writes", () => {
  test.each([
    ["409", failure(409, "Conflict")],
    ["429", failure(429, "TooManyRequests")],
    ["500", failure(500, "InternalError")],
    ["a lost answer", "lost" as const],
  ])("%s: the status gets there, each content once", (_name, fault) => {
    h.startKubelet("n1");
    failFirst(3, isStatusWrite, fault);
    h.createPod("p", {}, simulate({ runMs: 10_000 }));
    h.clock.advance(60_000);
    expect(h.pod("p").status.phase).toBe("Succeeded");
    const bodies = h.requests.filter(isStatusWrite).map(({ body }) => String(body));
    // Three failures of the first content, then Pending or Running, then Succeeded.
    expect(bodies.length).toBeLessThanOrEqual(6);
    expect(new Set(bodies.slice(3)).size).toBe(bodies.length - 3);
  });

  test("only the latest status is written after a time of failures", () => {
    h.startKubelet("n1");
    let isDown = true;
    h.fault = (request) => (isDown && isStatusWrite(request) ? failure(503, "ServiceUnavailable") : undefined);
    h.createPod("p", {}, simulate({ runMs: 5000 }));
    h.clock.advance(20_000);
    isDown = false;
    const before = h.requests.length;
    h.clock.advance(60_000);
    expect(h.pod("p").status.phase).toBe("Succeeded");
    expect(h.requests.slice(before).filter(isStatusWrite)).toHaveLength(1);
  });

  test("Retry-After is honoured", () => {
    h.startKubelet("n1");
    failFirst(1, isStatusWrite, { ...failure(429, "TooManyRequests"), headers: { "retry-after": "7" } });
    h.createPod("p", {}, simulate({ runMs: "forever" }));
    h.clock.advance(6_999);
    expect(h.pod("p").status.phase).toBe("Pending");
    h.clock.advance(1);
    expect(h.pod("p").status.phase).toBe("Running");
  });

  test("are one at a time for each pod", () => {
    const answers: (() => void)[] = [];
    const { send } = h.transport;
    Object.assign(h.transport, {
      send: (request: ApiRequest, done: Parameters<typeof send>[1]) =>
        isStatusWrite(request) ? answers.push(() => send(request, done)) : send(request, done),
    });
    h.startKubelet("n1");
    h.createPod("p", {}, simulate({ startDelayMs: 100, runMs: 100 }));
    h.clock.advance(10_000);
    expect(answers).toHaveLength(1);
    answers.pop()!();
    h.clock.advance(0);
    // Running came and went meanwhile: the second write is the terminal one.
    expect(answers).toHaveLength(1);
    answers.pop()!();
    h.clock.advance(0);
    expect(answers).toHaveLength(0);
    expect(h.pod("p").status.phase).toBe("Succeeded");
  });
});

describe("the final deletion", () => {
  test.each([
    ["500", failure(500, "InternalError")],
    ["a lost answer", "lost" as const],
  ])("is tried again after %s", (_name, fault) => {
    h.startKubelet("n1");
    h.createPod("p", {}, simulate({ runMs: "forever" }));
    h.clock.advance(1000);
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", {});
    failFirst(2, ({ method, path }) => method === "DELETE" && path.endsWith("/pods/p"), fault);
    h.clock.advance(10_000);
    expect(h.pod("p")).toBeUndefined();
  });

  test("comes only after the terminal status is stored", () => {
    h.startKubelet("n1");
    h.createPod("p", {}, { ...simulate({ runMs: "forever" }), finalizers: ["a/b"] });
    h.clock.advance(1000);
    failFirst(4, isStatusWrite, failure(500, "InternalError"));
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", {});
    h.clock.advance(60_000);
    const writes = h.requests.filter(
      (request) => isStatusWrite(request) || (request.method === "DELETE" && request.path.endsWith("/pods/p")),
    );
    expect(writes.at(-1)!.method).toBe("DELETE");
    expect(writes.filter(({ method }) => method === "DELETE")).toHaveLength(1);
    expect(h.pod("p").status.phase).toBe("Failed");
  });

  test("happens also when the mark of deletion is seen only after the terminal status was stored", () => {
    h.startKubelet("n1");
    h.createPod("p", {}, simulate({ runMs: 1000 }));
    h.clock.advance(999);
    h.breakStreams("/api/v1/pods");
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", {});
    h.clock.advance(60_000);
    expect(h.pod("p")).toBeUndefined();
    expect(h.sent("DELETE", "/pods/p")).toHaveLength(1);
  });
});

describe("the watch", () => {
  test("is taken up where it broke, without a new list", () => {
    h.startKubelet("n1");
    h.createPod("p", {}, simulate({ runMs: 60_000 }));
    h.clock.advance(1000);
    expect(h.breakStreams("/api/v1/pods")).toBe(1);
    const before = h.requests.length;
    h.createPod("q", {}, simulate({ runMs: "forever" }));
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", {});
    h.clock.advance(5000);
    expect(h.pod("q").status.phase).toBe("Running");
    expect(h.pod("p")).toBeUndefined();
    expect(
      h.requests.slice(before).filter(({ path }) => path.startsWith("/api/v1/pods") && !path.includes("watch=true")),
    ).toEqual([]);
  });

  test("410: lists again; what vanished is stopped, what is new is run, what runs is left alone", () => {
    h.startKubelet("n1");
    for (const name of ["p", "q"]) h.createPod(name, {}, simulate({ runMs: 60_000 }));
    h.clock.advance(1000);
    h.breakStreams("/api/v1/pods", failure(410, "Expired"));
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", { gracePeriodSeconds: 0 });
    h.createPod("p", {}, simulate({ runMs: 5000 }));
    h.clock.advance(10_000);
    expect(h.pod("p").status.phase).toBe("Succeeded");
    expect(h.pod("q").status).toMatchObject({ phase: "Running", containerStatuses: [{ restartCount: 0 }] });
    h.clock.advance(60_000);
    expect(h.pod("q").status.phase).toBe("Succeeded");
  });
});

test("a kubelet that stops ends its containers at once and is silent from then on", () => {
  const lines: string[] = [];
  const kubelet = h.startKubelet("n1", [], {
    onOutput: (_pod, _container, _attempt, _stream, line) => lines.push(line),
  });
  h.createPod(
    "p",
    {},
    simulate({ runMs: 100_000, ignoreSigterm: true, logs: Array.from({ length: 100 }, (_, index) => `${index}`) }),
  );
  h.createPod("q", {}, simulate({ startDelayMs: 5000 }));
  h.clock.advance(2500);
  kubelet.stop();
  const before = h.requests.length;
  h.clock.advance(200_000);
  expect(h.requests.slice(before)).toEqual([]);
  expect(lines).toEqual(["0", "1", "2"]);
});

describe("a kubelet that restarts", () => {
  test("finds its pods: what ran is lost and restarts by its policy, what was over stays over", () => {
    const first = h.startKubelet("n1");
    h.createPod("lost", { restartPolicy: "Never" }, simulate({ runMs: "forever" }));
    h.createPod("again", { restartPolicy: "OnFailure" }, simulate({ runMs: "forever" }));
    h.createPod("done", {}, simulate({ runMs: 100 }));
    h.clock.advance(1000);
    first.stop();
    h.startKubelet("n1");
    h.clock.advance(1000);
    expect(h.pod("lost").status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { terminated: { exitCode: 137, reason: "ContainerStatusUnknown" } } }],
    });
    expect(h.pod("again").status).toMatchObject({
      phase: "Running",
      containerStatuses: [{ restartCount: 1, lastState: { terminated: { exitCode: 137 } } }],
    });
    expect(h.pod("done").status).toMatchObject({ phase: "Succeeded", containerStatuses: [{ restartCount: 0 }] });
  });
});

test("many pods under random faults all reach their end, with each container started once", () => {
  const random = seeded(11);
  h.startKubelet("n1", [], { recordsEvents: false });
  h.fault = ({ method }) => {
    if (method === "GET" || random() > 0.3) return undefined;
    return random() < 0.5 ? "lost" : failure(random() < 0.5 ? 409 : 500, "Injected");
  };
  const names = Array.from({ length: 60 }, (_, index) => `p${index}`);
  for (const name of names) {
    h.createPod(name, {}, simulate({ runMs: [100, 3000], exitCodes: [random() < 0.5 ? 0 : 1] }));
    h.clock.advance(100);
    if (random() < 0.2) h.breakStreams("/api/v1/pods", random() < 0.5 ? failure(410, "Expired") : undefined);
  }
  h.clock.advance(300_000);
  for (const name of names)
    expect(h.pod(name).status).toMatchObject({
      phase: expect.stringMatching(/^(Succeeded|Failed)$/),
      containerStatuses: [{ restartCount: 0 }],
    });
});
