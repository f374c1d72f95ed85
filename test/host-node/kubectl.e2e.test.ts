/**
 * The real kubectl against the real `stint serve`. Skipped with a message where there is no kubectl; with
 * STINT_REQUIRE_KUBECTL=1 that is an error.
 */
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildModule } from "../../scripts/build-engine.ts";
import { hasKubectl, kubectl as runKubectl, type Ran, startKubectl, succeed as succeedWith } from "./kubectl.ts";
import { type Served, startServe } from "./serving.ts";

const examples = resolve(import.meta.dirname, "../../examples");

let served: Served;
beforeAll(async () => {
  await buildModule("engine");
  served = await startServe();
});
afterAll(async () => {
  expect(await served.stop()).toBe(0);
});

const start = (args: readonly string[]): ReturnType<typeof startKubectl> => startKubectl(served, args);
const kubectl = (args: readonly string[], input?: string): Promise<Ran> => runKubectl(served, args, input);
const succeed = (args: readonly string[], input?: string): Promise<string> => succeedWith(served, args, input);

describe.skipIf(!hasKubectl)("kubectl", () => {
  it("creates a Job and watches its pods until it is complete", async () => {
    expect(await succeed(["create", "-f", join(examples, "pi.yaml")])).toBe("job.batch/pi created\n");
    const watch = start(["get", "pods", "--watch", "--no-headers"]);
    let seen = "";
    watch.stdout!.on("data", (chunk: Buffer) => (seen += chunk.toString()));
    expect(await succeed(["wait", "--for=condition=complete", "job/pi", "--timeout=60s"])).toBe(
      "job.batch/pi condition met\n",
    );
    watch.kill();
    await new Promise((resolve) => watch.once("close", resolve));
    for (const index of [0, 1, 2, 3]) expect(seen).toMatch(new RegExp(`^pi-${index}-\\w{5} +0/1 +Completed +0 `, "m"));
    expect(seen).toMatch(/^pi-3-\w{5} +0\/1 +ContainerCreating +0 /m);
    expect(seen).toMatch(/^pi-3-\w{5} +1\/1 +Running +0 /m);
  });

  it("gets jobs and pods as tables, wide tables, YAML and JSON", async () => {
    const table = await succeed(["get", "jobs,pods"]);
    expect(table).toMatch(
      /^NAME +STATUS +COMPLETIONS +DURATION +AGE\njob\.batch\/pi +Complete +4\/4 +\d+s +\d+s\n\nNAME +READY +STATUS +RESTARTS +AGE\n(pod\/pi-\d-\w{5} +0\/1 +Completed +0 +\d+s\n){4}$/,
    );
    expect(await succeed(["get", "jobs", "-o", "wide"])).toMatch(
      / CONTAINERS +IMAGES +SELECTOR\npi .* pi +node:24-alpine +batch\.kubernetes\.io\/controller-uid=[-0-9a-f]+\n$/,
    );
    expect(await succeed(["get", "pods", "-o", "wide"])).toMatch(
      / IP +NODE +NOMINATED NODE +READINESS GATES\n(pi-.* 10\.244\.\d+\.\d+ +stint +<none> +<none>\n){4}$/,
    );
    expect(await succeed(["get", "job", "pi", "-o", "yaml"])).toMatch(
      /^apiVersion: batch\/v1\nkind: Job\nmetadata:\n(.|\n)*\n {2}completedIndexes: 0-3\n(.|\n)*\n {2}succeeded: 4\n/,
    );
    const list = JSON.parse(await succeed(["get", "pods", "-l", "job-name=pi", "-o", "json"]));
    expect(list.items).toHaveLength(4);
    expect(list.items[0].metadata.finalizers).toBeUndefined();
    expect(await succeed(["get", "jobs", "--all-namespaces", "-o", "name"])).toBe("job.batch/pi\n");
  });

  it("describes a Job with its events", async () => {
    const text = await succeed(["describe", "job", "pi"]);
    expect(text).toMatch(/^Pods Statuses: +0 Active \(0 Ready\) \/ 4 Succeeded \/ 0 Failed$/m);
    expect(text).toMatch(/^Completed Indexes: +0-3$/m);
    expect(text).toMatch(/^ +Normal +SuccessfulCreate +\S+ +job-controller +Created pod: pi-0-\w{5}$/m);
    expect(text).toMatch(/^ +Normal +Completed +\S+ +job-controller +Job completed$/m);
  });

  it("shows the log of a Job's pod", async () => {
    const job = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "talker" },
      spec: {
        template: {
          metadata: {
            annotations: { "stint.dev/simulate": JSON.stringify({ runMs: 100, logs: ["first line", "second line"] }) },
          },
          spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] },
        },
      },
    };
    await succeed(["create", "-f", "-"], JSON.stringify(job));
    await succeed(["wait", "--for=condition=complete", "job/talker", "--timeout=60s"]);
    expect(await succeed(["logs", "job/talker"])).toBe("first line\nsecond line\n");
    expect(await succeed(["logs", "job/talker", "--tail=1"])).toBe("second line\n");
    expect(await succeed(["logs", "job/talker", "--follow"])).toBe("first line\nsecond line\n");
  });

  it("applies a quota, shows what is used of it, and is refused what is too much", async () => {
    const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "one", namespace: "small" } };
    const hard = { pods: "0", "limits.cpu": "2", "count/jobs.batch": "1" };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "small" } };
    await succeed(["create", "-f", "-"], JSON.stringify(namespace));
    expect(await succeed(["apply", "-f", "-"], JSON.stringify({ ...quota, spec: { hard } }))).toBe(
      "resourcequota/one created\n",
    );
    expect(await succeed(["create", "-n", "small", "-f", join(examples, "hello.yaml")])).toContain("created");
    expect(await succeed(["get", "quota", "-n", "small"])).toMatch(
      /^NAME +REQUEST +LIMIT +AGE\none +count\/jobs\.batch: 1\/1, pods: 0\/0 +limits\.cpu: 0\/2 +\d+s\n$/,
    );
    expect(await succeed(["describe", "quota", "one", "-n", "small"])).toMatch(
      /^Resource +Used +Hard\n-+ +-+ +-+\ncount\/jobs\.batch +1 +1\nlimits\.cpu +0 +2\npods +0 +0\n/m,
    );
    const { status, err } = await kubectl(["create", "-n", "small", "-f", join(examples, "pi.yaml")]);
    expect([status, err]).toEqual([
      1,
      expect.stringContaining(
        'jobs.batch "pi" is forbidden: exceeded quota: one, requested: count/jobs.batch=1, used: count/jobs.batch=1, limited: count/jobs.batch=1',
      ),
    ]);
    expect(await succeed(["delete", "namespace", "small"])).toContain('namespace "small" deleted');
  });

  it("lists events", async () => {
    const events = await succeed(["get", "events"]);
    expect(events).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n/);
    expect(events).toMatch(/ Normal +Completed +job\/pi +Job completed\n/);
    expect(await succeed(["events", "--for", "job/pi"])).toMatch(
      / Normal +SuccessfulCreate +Job\/pi +Created pod: pi-0-\w{5}\n/,
    );
  });

  it("applies: created, unchanged, configured", async () => {
    const hello = join(examples, "hello.yaml");
    expect(await succeed(["apply", "-f", hello])).toBe("job.batch/hello created\n");
    expect(await succeed(["apply", "-f", hello])).toBe("job.batch/hello unchanged\n");
    const stored = JSON.parse(await succeed(["get", "job", "hello", "-o", "json"]));
    const manifest = JSON.parse(stored.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]);
    expect(
      await succeed(["apply", "-f", "-"], JSON.stringify({ ...manifest, spec: { ...manifest.spec, backoffLimit: 5 } })),
    ).toBe("job.batch/hello configured\n");
    expect(await succeed(["get", "job", "hello", "-o", "jsonpath={.spec.backoffLimit}"])).toBe("5");
  });

  it("applies on the server's side: conflicts, force, and who owns which field", async () => {
    const map = (data: Record<string, string>): string =>
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shared" }, data });
    const apply = ["apply", "--server-side", "-f", "-"];
    expect(await succeed(["apply", "-f", "-"], map({ a: "1", b: "1" }))).toBe("configmap/shared created\n");
    expect(await succeed(apply, map({ a: "2", b: "1" }))).toBe("configmap/shared serverside-applied\n");
    await succeed(["patch", "configmap", "shared", "--type=merge", "-p", '{"data":{"c":"1"}}']);

    const refused = await kubectl(apply, map({ a: "2", c: "2" }));
    expect(refused.status).not.toBe(0);
    expect(refused.err).toContain('Apply failed with 1 conflict: conflict with "kubectl-patch" using v1: .data.c\n');
    expect(await succeed([...apply, "--force-conflicts"], map({ a: "2", c: "2" }))).toBe(
      "configmap/shared serverside-applied\n",
    );
    const get = ["get", "configmap", "shared", "-o", "json", "--show-managed-fields"];
    const { data, metadata } = JSON.parse(await succeed(get));
    expect(data).toEqual({ a: "2", c: "2" });
    const kubectls = metadata.managedFields.filter(({ manager }: { manager: string }) => manager === "kubectl");
    expect(kubectls).toMatchObject([{ operation: "Apply", fieldsV1: { "f:data": { "f:a": {}, "f:c": {} } } }]);
  });
});

describe.skipIf(!hasKubectl)("kubectl", () => {
  it("prints the API server's errors of a bad Job", async () => {
    const bad = (spec: object): string =>
      JSON.stringify({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "bad" },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } }, ...spec },
      });
    const negative = await kubectl(["create", "-f", "-"], bad({ parallelism: -1 }));
    expect(negative).toMatchObject({
      status: 1,
      err: 'The Job "bad" is invalid: spec.parallelism: Invalid value: -1: must be greater than or equal to 0\n',
    });
    const unknown = await kubectl(["create", "-f", "-"], bad({ paralelism: 1 }));
    expect(unknown.status).toBe(1);
    expect(unknown.err).toContain('strict decoding error: unknown field "spec.paralelism"');
    expect((await kubectl(["get", "job", "bad"])).err).toBe(
      'Error from server (NotFound): jobs.batch "bad" not found\n',
    );
  });

  it("deletes a Job, and its pods go too", async () => {
    expect(await succeed(["delete", "job", "pi"])).toBe('job.batch "pi" deleted\n');
    expect(await succeed(["wait", "--for=delete", "pod", "-l", "job-name=pi", "--timeout=60s"])).toMatch(
      /^(pod\/pi-\d-\w{5} condition met\n)*$/,
    );
    expect(await succeed(["get", "pods", "-l", "job-name=pi", "-o", "name"])).toBe("");
    expect(await succeed(["get", "jobs", "-o", "name"])).toBe("job.batch/hello\njob.batch/talker\n");
  });

  it("deletes a running Job: its pods end and go", async () => {
    const job = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "endless" },
      spec: {
        parallelism: 2,
        template: {
          metadata: { annotations: { "stint.dev/simulate": '{"runMs": "forever"}' } },
          spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] },
        },
      },
    };
    await succeed(["create", "-f", "-"], JSON.stringify(job));
    await succeed(["wait", "--for=jsonpath={.status.ready}=2", "job/endless", "--timeout=60s"]);
    await succeed(["delete", "job", "endless", "--cascade=foreground"]);
    expect(await succeed(["get", "pods", "-l", "job-name=endless", "-o", "name"])).toBe("");
  });

  it("creates, asks and drains in protobuf, which is what it sends without files", async () => {
    expect(await succeed(["create", "namespace", "wire"])).toBe("namespace/wire created\n");
    expect(await succeed(["create", "configmap", "c", "-n", "wire", "--from-literal=a=b"])).toBe(
      "configmap/c created\n",
    );
    expect(await succeed(["create", "job", "j", "-n", "wire", "--image=none", "--", "true"])).toBe(
      "job.batch/j created\n",
    );
    expect(
      await succeed(["get", "job", "j", "-n", "wire", "-o", "jsonpath={.spec.template.spec.containers}"]),
    ).toContain('"command":["true"]');
    const { err } = await kubectl(["create", "configmap", "c", "-n", "wire", "-v=8"]);
    expect(err).toContain("Content-Type: application/vnd.kubernetes.protobuf");
    expect(err).toContain('error: failed to create configmap: configmaps "c" already exists');
    expect(await succeed(["auth", "can-i", "create", "jobs"])).toBe("yes\n");
    expect(await succeed(["drain", "stint", "--force", "--ignore-daemonsets"])).toContain("node/stint drained\n");
    await succeed(["uncordon", "stint"]);
  });

  it("drains a node once a budget allows it", async () => {
    const forever = 'stint.dev/simulate={"runMs": "forever"}';
    await succeed(["run", "kept", "--image=none", "--labels=app=kept", `--annotations=${forever}`]);
    await succeed(["wait", "--for=condition=Ready", "pod/kept", "--timeout=60s"]);
    await succeed(["create", "pdb", "kept", "--selector=app=kept", "--min-available=1"]);
    await succeed(["wait", "--for=jsonpath={.status.currentHealthy}=1", "pdb/kept", "--timeout=60s"]);
    const { err } = await kubectl(["drain", "stint", "--force", "--timeout=1s"]);
    expect(err).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    await succeed(["delete", "pdb", "kept"]);
    // It warns of the pod, which has no controller.
    const { out } = await kubectl(["drain", "stint", "--force"]);
    expect(out).toContain("pod/kept evicted\nnode/stint drained\n");
  });

  it("answers auth whoami, also with --as, and auth can-i", async () => {
    const whoAmI = ["auth", "whoami", "-o", "jsonpath={.status.userInfo.username} {.status.userInfo.groups}"];
    expect(await succeed(whoAmI)).toBe('kubernetes-admin ["system:masters","system:authenticated"]');
    expect(await succeed([...whoAmI, "--as=system:serviceaccount:a:b"])).toBe(
      'system:serviceaccount:a:b ["system:serviceaccounts","system:serviceaccounts:a","system:authenticated"]',
    );
    expect(await succeed([...whoAmI, "--as=anna", "--as-group=team", "--as-group=others"])).toBe(
      'anna ["team","others","system:authenticated"]',
    );
    expect(await succeed(["auth", "can-i", "--list"])).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
  });
});
