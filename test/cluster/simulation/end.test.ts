/** When a run is over: nothing is left to happen but what repeats for ever, and the note says what does not end. */
import { describe, expect, test } from "vitest";
import { jobYaml, run } from "./harness.ts";

describe("a run ends", () => {
  test("when its Job is complete, and not later", () => {
    const { world, recorder } = run(jobYaml("completions: 3\ncompletionMode: Indexed\nparallelism: 3"));
    expect(recorder.condition()).toMatch(/^Complete/);
    expect(world.endNote()).toBe("");
    expect(world.now()).toBeLessThan(5_000);
  });

  test("when its Job has failed", () => {
    const { world, recorder } = run(jobYaml("backoffLimit: 1", '{ "runMs": 500, "exitCode": 1 }'));
    expect(recorder.condition()).toBe("Failed BackoffLimitExceeded");
    expect(world.endNote()).toBe("");
    expect(world.now()).toBeLessThan(60_000);
  });

  test("at once when its Job is suspended, and says so", () => {
    const { world, recorder } = run(jobYaml("suspend: true"));
    expect(recorder.condition()).toBe("Suspended JobSuspended");
    expect(world.now()).toBeLessThan(5_000);
    expect(world.endNote()).toBe("Nothing is left to happen: job pi is suspended.");
  });

  test("after the time to live, when the Job is gone", () => {
    const { world, recorder } = run(jobYaml("ttlSecondsAfterFinished: 86400"));
    expect(recorder.objects.has("jobs/pi")).toBe(false);
    expect(recorder.pods()).toEqual([]);
    expect(world.now()).toBeGreaterThanOrEqual(86_400_000);
    expect(world.now()).toBeLessThan(86_410_000);
    expect(world.endNote()).toBe("");
  });

  test("with a pod that runs for ever, when nothing else is left", () => {
    const { world } = run(jobYaml("", '{ "runMs": "forever" }'));
    expect(world.now()).toBeLessThan(5_000);
    expect(world.endNote()).toMatch(/^Nothing is left to happen: pod pi-\w+ runs for ever\.$/);
  });

  test("at the deadline of a Job whose pod runs for ever", () => {
    const { world, recorder } = run(jobYaml("activeDeadlineSeconds: 7200", '{ "runMs": "forever" }'));
    expect(recorder.condition()).toBe("Failed DeadlineExceeded");
    expect(world.now()).toBeGreaterThanOrEqual(7_200_000);
    expect(world.now()).toBeLessThan(7_300_000);
  });

  test("when an image cannot be pulled, once the delay between tries does not grow any more", () => {
    const { world, recorder } = run(jobYaml("", '{ "failReason": "ErrImagePull" }'));
    expect(world.endNote()).toMatch(/^Nothing is left to happen: pod pi-\w+ waits for ever \(ImagePullBackOff\)\.$/);
    expect(world.now()).toBeLessThan(20 * 60_000);
    expect(recorder.pods()).toHaveLength(1);
  });

  test("when a pod fits on no node", () => {
    const yaml = jobYaml().replace("image: ", "resources: {requests: {cpu: 100}}\n        image: ");
    const { world } = run(yaml);
    expect(world.endNote()).toMatch(/^Nothing is left to happen: pod pi-\w+ has no node \(0\/3 nodes are available/);
    expect(world.now()).toBeLessThan(5_000);
  });

  test("when a Job waits for a controller that is not here", () => {
    const { world } = run(jobYaml("managedBy: example.com/other"));
    expect(world.endNote()).toBe(
      "Nothing is left to happen: job pi waits for the controller example.com/other, which is not here.",
    );
  });

  test.each([
    ["a variable", jobYaml().replace("image: ", "envFrom: [{configMapRef: {name: late}}]\n        image: ")],
    ["a volume", jobYaml().replace("containers:", "volumes: [{name: v, configMap: {name: late}}]\n      containers:")],
  ])("not before a kubelet has tried again after the latest input: %s from a ConfigMap", (_what, yaml) => {
    const without = run(yaml);
    expect(without.world.endNote()).toMatch(/waits for ever/);
    const late = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: late}\n";
    const input = { atMs: without.world.now(), action: { kind: "apply", yaml: late } } as const;
    const { world, recorder } = run(yaml, [input]);
    expect(recorder.flags.map(({ problem }) => problem)).toEqual([undefined]);
    expect(recorder.condition()).toMatch(/^Complete/);
    expect(world.endNote()).toBe("");
  });

  test("not before the last input has been done", () => {
    const { world, recorder } = run(jobYaml(), [{ atMs: 3_600_000, action: { kind: "cordon", node: "node-1" } }]);
    expect(world.now()).toBe(3_600_000);
    expect(recorder.flags).toEqual([{ atMs: 3_600_000, kind: "cordon", label: "cordon node-1" }]);
  });
});
