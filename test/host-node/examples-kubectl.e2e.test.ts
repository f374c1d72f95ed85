/**
 * The commands that the Job page of the Kubernetes documentation shows, typed into a shell against the real
 * `stint serve`, and what a user sees. The manifests are those of examples/.
 */
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildModule } from "../../scripts/build-engine.ts";
import { hasKubectl, kubectl, shell, startKubectl } from "./kubectl.ts";
import { type Served, startServe } from "./serving.ts";

const root = resolve(import.meta.dirname, "../..");
const UID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** `stint serve` for the tests of a file or of a describe, and a shell for its users in the root of the repository. */
class ServerOfTests {
  served!: Served;

  constructor(args: readonly string[] = []) {
    beforeAll(async () => {
      await buildModule("engine");
      this.served = await startServe(args);
    });
    afterAll(async () => {
      expect(await this.served.stop()).toBe(0);
    });
  }

  run(lines: string): Promise<string> {
    return shell(this.served, `cd '${root}'; ${lines}`);
  }
}

const simulated = new ServerOfTests();

describe.skipIf(!hasKubectl)("the commands of the Job page, with pods as local processes", () => {
  const local = new ServerOfTests(["--runtime", "process", "--no-isolation"]);

  it("runs the first example: apply, and the 2000 digits in the log", async () => {
    expect(await local.run("kubectl apply -f examples/one-pod.yaml")).toBe("job.batch/pi-digits created\n");
    await local.run("kubectl wait --for=condition=complete job/pi-digits --timeout=60s");
    const digits = await local.run("kubectl logs jobs/pi-digits");
    expect(digits).toHaveLength(2002);
    expect(digits).toMatch(/^3\.14159265358979323846\d+59958133904780275901\n$/);
    const pods = await local.run(
      "pods=$(kubectl get pods --selector=batch.kubernetes.io/job-name=pi-digits --output=jsonpath='{.items[*].metadata.name}'); echo $pods",
    );
    expect(pods).toMatch(/^pi-digits-[bcdfghjklmnpqrstvwxz2456789]{5}\n$/);
    expect(
      await local.run(
        "pods=$(kubectl get pods --selector=job-name=pi-digits --output=jsonpath='{.items[*].metadata.name}'); kubectl logs $pods",
      ),
    ).toBe(digits);
    expect(await local.run("kubectl get pods")).toMatch(
      /^NAME +READY +STATUS +RESTARTS +AGE\npi-digits-\w{5} +0\/1 +Completed +0 +\d+s\n$/,
    );
  });

  it("describes it: the labels, the selector, the statuses and the events", async () => {
    const text = await local.run("kubectl describe job pi-digits");
    expect(text).toMatch(/^Name: +pi-digits\nNamespace: +default\n/);
    expect(text).toMatch(new RegExp(`^Selector: +batch\\.kubernetes\\.io/controller-uid=${UID}$`, "m"));
    for (const label of [
      "batch.kubernetes.io/controller-uid=",
      "batch.kubernetes.io/job-name=pi-digits",
      "controller-uid=",
      "job-name=pi-digits",
    ])
      expect(text).toContain(label);
    for (const line of [
      "Parallelism: +1",
      "Completions: +1",
      "Completion Mode: +NonIndexed",
      "Suspend: +false",
      "Backoff Limit: +4",
      "Start Time: +\\w+",
      "Completed At: +\\w+",
      "Duration: +\\d+s",
    ]) {
      expect(text).toMatch(new RegExp(`^${line}`, "m"));
    }
    expect(text).toMatch(/^Pods Statuses: +0 Active \(0 Ready\) \/ 1 Succeeded \/ 0 Failed$/m);
    expect(text).toMatch(
      / Normal +SuccessfulCreate +\S+ +job-controller +Created pod: pi-digits-\w{5}\n +Normal +Completed +\S+ +job-controller +Job completed\n$/,
    );
    expect(await local.run("kubectl describe jobs/pi-digits")).toContain("Job completed");
  });

  it("shows it as YAML: the defaults, and the status", async () => {
    const yaml = await local.run("kubectl get job pi-digits -o yaml");
    for (const line of [
      "completionMode: NonIndexed",
      "completions: 1",
      "parallelism: 1",
      "suspend: false",
      "manualSelector: false",
      "podReplacementPolicy: TerminatingOrFailed",
      "generation: 1",
    ])
      expect(yaml).toMatch(new RegExp(`^ {2}${line}$`, "m"));
    for (const line of [
      "dnsPolicy: ClusterFirst",
      "schedulerName: default-scheduler",
      "securityContext: {}",
      "terminationGracePeriodSeconds: 30",
      "restartPolicy: Never",
    ])
      expect(yaml).toMatch(new RegExp(`^ {6}${line}$`, "m"));
    for (const line of [
      "imagePullPolicy: IfNotPresent",
      "resources: {}",
      "terminationMessagePath: /dev/termination-log",
      "terminationMessagePolicy: File",
    ])
      expect(yaml).toMatch(new RegExp(`^ {8}${line}$`, "m"));
    expect(yaml).toMatch(
      /^ {2}ready: 0\n {2}startTime: "[^"]+"\n {2}succeeded: 1\n {2}terminating: 0\n {2}uncountedTerminatedPods: \{\}\n/m,
    );
    // Obsolete since 1.27, though the page still shows it.
    expect(yaml).not.toContain("batch.kubernetes.io/job-tracking");
  });

  it("deletes Jobs by name and by file, and their pods go too", async () => {
    expect(await local.run("kubectl delete jobs/pi-digits")).toBe('job.batch "pi-digits" deleted\n');
    await local.run("kubectl wait --for=delete pod --selector=job-name=pi-digits --timeout=60s");
    await local.run(
      "kubectl apply -f examples/static-work.yaml; kubectl wait --for=condition=complete job/static-work --timeout=60s",
    );
    const logs = await local.run("kubectl logs --selector=job-name=static-work --prefix");
    expect(
      logs
        .split("\n")
        .map((line) => line.split(" ").at(-1))
        .sort(),
    ).toEqual(["", "oof", "rab", "xuq", "zab", "zyx"]);
    expect(await local.run("kubectl delete -f examples/static-work.yaml")).toBe('job.batch "static-work" deleted\n');
    await local.run("kubectl wait --for=delete pod --selector=job-name=static-work --timeout=60s");
    expect(await local.run("kubectl get jobs,pods -o name")).toBe("");
  });

  it("asks for the Jobs of a template together", async () => {
    expect(await local.run("kubectl apply -f examples/template-expansion.yaml")).toBe(
      "job.batch/process-apple created\njob.batch/process-banana created\njob.batch/process-cherry created\n",
    );
    expect(
      await local.run("kubectl wait --for=condition=complete job --selector=jobgroup=fruit --timeout=60s"),
    ).toMatch(/^(job\.batch\/process-\w+ condition met\n){3}$/);
    expect(await local.run("kubectl get jobs --selector=jobgroup=fruit")).toMatch(
      /^NAME +STATUS +COMPLETIONS +DURATION +AGE\n(process-\w+ +Complete +1\/1 +\d+s +\d+s\n){3}$/,
    );
    const logs = await local.run("kubectl logs --selector=jobgroup=fruit");
    expect(logs.trim().split("\n").sort()).toEqual([
      "Processing item apple",
      "Processing item banana",
      "Processing item cherry",
    ]);
    await local.run("kubectl delete jobs --selector=jobgroup=fruit --cascade=foreground");
  });

  it("runs the queue with a pod for each item, and the queue with workers", async () => {
    await local.run("kubectl apply -f examples/queue-pod-per-item.yaml -f examples/work-queue.yaml");
    await local.run("kubectl wait --for=condition=complete job/queue-pod-per-item job/work-queue --timeout=60s");
    expect(
      await local.run("kubectl get job queue-pod-per-item work-queue -o jsonpath='{.items[*].status.succeeded}'"),
    ).toBe("8 3");
    // A work queue has no number of completions: the field stays unset.
    expect(await local.run("kubectl get job work-queue -o jsonpath='[{.spec.completions}]'")).toBe("[]");
    expect(await local.run("kubectl get job work-queue --no-headers")).toMatch(/^work-queue +Complete +3\/1 of 3 /);
    await local.run("kubectl delete jobs --all --cascade=foreground");
  });
});

describe.skipIf(!hasKubectl)("the commands of the Job page that suspend a Job, with simulated pods", () => {
  it("suspends and resumes a Job: no pods in between, its condition, its clock and its events", async () => {
    await simulated.run(
      "kubectl apply -f examples/kubectl/suspended.yaml; kubectl wait --for=condition=Suspended job/myjob --timeout=60s",
    );
    expect(
      await simulated.run(
        "kubectl get jobs/myjob -o jsonpath='{.status.conditions[0].status} {.status.conditions[0].reason} [{.status.startTime}]'",
      ),
    ).toBe("True JobSuspended []");
    expect(await simulated.run("kubectl get job myjob --no-headers")).toMatch(/^myjob +Suspended +0\/5 /);
    expect(await simulated.run("kubectl get pods -o name")).toBe("");
    expect(await simulated.run(`kubectl patch job/myjob --type=strategic --patch '{"spec":{"suspend":false}}'`)).toBe(
      "job.batch/myjob patched\n",
    );
    await simulated.run("kubectl wait --for=jsonpath='{.status.ready}'=1 job/myjob --timeout=60s");
    expect(
      await simulated.run(
        "kubectl get jobs/myjob -o jsonpath='{.status.conditions[0].status} {.status.conditions[0].reason} {.status.startTime}'",
      ),
    ).toMatch(/^False JobResumed 20\S+Z$/);
    expect(await simulated.run(`kubectl patch job/myjob --type=strategic --patch '{"spec":{"suspend":true}}'`)).toBe(
      "job.batch/myjob patched\n",
    );
    await simulated.run(
      "kubectl wait --for=condition=Suspended job/myjob --timeout=60s; kubectl wait --for=delete pod --selector=job-name=myjob --timeout=60s",
    );
    expect(
      await simulated.run(
        "kubectl get job myjob -o jsonpath='[{.status.startTime}] [{.status.failed}] {.status.active}{.status.ready}'",
      ),
    ).toBe("[] [] 0");
    const events = await simulated.run("kubectl describe jobs/myjob");
    // In no order: kubectl sorts them by whole seconds.
    for (const line of [
      /Suspended .*Job suspended$/,
      /SuccessfulCreate .*Created pod: myjob-\w{5}$/,
      /Resumed .*Job resumed$/,
      /SuccessfulDelete .*Deleted pod: myjob-\w{5}$/,
    ])
      expect(events).toMatch(new RegExp(` Normal +${line.source}`, "m"));
    await simulated.run("kubectl delete job myjob");
  });

  it("places a suspended Job, and refuses to place one that runs", async () => {
    await simulated.run(
      "kubectl apply -f examples/kubectl/placement.yaml; kubectl wait --for=condition=Suspended job/placement --timeout=60s",
    );
    const place = `kubectl patch job/placement --type=merge --patch '{"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/hostname":"stint"}}}}}'`;
    expect(await simulated.run(place)).toBe("job.batch/placement patched\n");
    await simulated.run(
      `kubectl patch job/placement --type=strategic --patch '{"spec":{"suspend":false}}'; kubectl wait --for=condition=complete job/placement --timeout=60s`,
    );
    expect(
      await simulated.run("kubectl get pods --selector=job-name=placement -o jsonpath='{.items[0].spec.nodeSelector}'"),
    ).toBe('{"kubernetes.io/hostname":"stint"}');
    const refused = await kubectl(simulated.served, [
      "patch",
      "job/placement",
      "--type=merge",
      "--patch",
      '{"spec":{"template":{"spec":{"nodeSelector":{"a":"b"}}}}}',
    ]);
    expect(refused.status).toBe(1);
    expect(refused.err).toMatch(
      /^The Job "placement" is invalid: spec\.template: Invalid value: .*: field is immutable\n$/s,
    );
    await simulated.run("kubectl delete job placement");
  });
});

describe.skipIf(!hasKubectl)("the commands of the Job page that change a Job, with simulated pods", () => {
  it("changes the parallelism of a running Job, by patch and in an editor", async () => {
    const job = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "wide" },
      spec: {
        completions: 9,
        parallelism: 1,
        template: {
          metadata: { annotations: { "stint.dev/simulate": '{"runMs": "forever"}' } },
          spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] },
        },
      },
    };
    await kubectl(simulated.served, ["create", "-f", "-"], JSON.stringify(job));
    const active = (count: number): Promise<string> =>
      simulated.run(`kubectl wait --for=jsonpath='{.status.active}'=${count} job/wide --timeout=60s`);
    await active(1);
    expect(await simulated.run(`kubectl patch job/wide --type=merge --patch '{"spec":{"parallelism":3}}'`)).toBe(
      "job.batch/wide patched\n",
    );
    await active(3);
    expect(await simulated.run("KUBE_EDITOR='sed -i s/parallelism:.3/parallelism:\\ 2/' kubectl edit job/wide")).toBe(
      "job.batch/wide edited\n",
    );
    await active(2);
    expect(await simulated.run("kubectl get job wide -o jsonpath='[{.status.failed}]'")).toBe("[]");
    // kubectl scale lost Jobs in 1.15: the resource has no scale subresource.
    expect((await kubectl(simulated.served, ["scale", "job/wide", "--replicas=2"])).status).toBe(1);
    await simulated.run("kubectl delete job wide --cascade=foreground");
  });

  it("shrinks an elastic Job: the highest indexes go, uncounted", async () => {
    await simulated.run(
      "kubectl apply -f examples/elastic.yaml; kubectl wait --for=jsonpath='{.status.ready}'=4 job/elastic --timeout=60s",
    );
    await simulated.run(`kubectl patch job/elastic --type=merge --patch '{"spec":{"parallelism":2,"completions":2}}'`);
    await simulated.run(
      "kubectl wait --for=jsonpath='{.status.active}'=2 job/elastic --timeout=60s; kubectl wait --for=delete pod --selector='batch.kubernetes.io/job-completion-index in (2,3)' --timeout=60s",
    );
    expect(
      await simulated.run("kubectl get pods --selector=job-name=elastic -o jsonpath='{.items[*].spec.hostname}'"),
    ).toBe("elastic-0 elastic-1");
    expect(
      (
        await kubectl(simulated.served, [
          "patch",
          "job/elastic",
          "--type=merge",
          "--patch",
          '{"spec":{"completions":3}}',
        ])
      ).err,
    ).toContain("spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism");
    await simulated.run("kubectl delete job elastic --cascade=foreground");
  });

  it("replaces a pod only when it has ended, and says how many are terminating", async () => {
    await simulated.run(
      "kubectl apply -f examples/replacement.yaml; kubectl wait --for=jsonpath='{.status.ready}'=1 job/replacement --timeout=60s",
    );
    const watch = startKubectl(simulated.served, [
      "get",
      "jobs/replacement",
      "--watch",
      "-o",
      "jsonpath={.status.active}/{.status.terminating} ",
    ]);
    let seen = "";
    watch.stdout!.on("data", (chunk: Buffer) => (seen += chunk.toString()));
    await new Promise((resolve) => watch.stdout!.once("data", resolve));
    await simulated.run(
      "kubectl delete pod --selector=job-name=replacement --wait=false; kubectl wait --for=jsonpath='{.status.terminating}'=1 job/replacement --timeout=60s",
    );
    await simulated.run("kubectl wait --for=jsonpath='{.status.failed}'=1 job/replacement --timeout=60s");
    watch.kill();
    await new Promise((resolve) => watch.once("close", resolve));
    // Never an active pod beside the terminating one.
    expect(seen).toContain(" /1 ");
    expect(seen).not.toContain("1/1 ");
    await simulated.run("kubectl delete job replacement --cascade=foreground");
  });
});

describe.skipIf(!hasKubectl)("the commands of the Job page about owners and selectors, with simulated pods", () => {
  it("leaves a Job of another controller alone", async () => {
    await simulated.run("kubectl apply -f examples/kubectl/managed-by.yaml -f examples/hello.yaml");
    await simulated.run("kubectl wait --for=condition=complete job/hello --timeout=60s");
    expect(await simulated.run("kubectl get job managed-by -o jsonpath='[{.status}]'")).toBe("[{}]");
    expect(await simulated.run("kubectl get pods --selector=job-name=managed-by -o name")).toBe("");
    await simulated.run("kubectl delete job managed-by hello");
  });

  it("leaves the pods of a Job that is deleted with --cascade=orphan, without its finalizer", async () => {
    await simulated.run(
      "kubectl apply -f examples/kubectl/orphaned.yaml; kubectl wait --for=jsonpath='{.status.ready}'=2 job/old --timeout=60s",
    );
    expect(await simulated.run("kubectl delete jobs/old --cascade=orphan")).toBe('job.batch "old" deleted\n');
    const pods = JSON.parse(await simulated.run("kubectl get pods --selector=job-name=old -o json")).items;
    expect(pods).toHaveLength(2);
    for (const { metadata, status } of pods)
      expect({ ...metadata, phase: status.phase }).toMatchObject({ phase: "Running" });
    for (const { metadata } of pods)
      expect([metadata.ownerReferences, metadata.finalizers, metadata.deletionTimestamp]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    await simulated.run("kubectl delete pods --all --now");
  });

  it("hands the running pods of an orphaning Job over to a new one with the same selector", async () => {
    await simulated.run(
      "kubectl apply -f examples/kubectl/orphaned.yaml; kubectl wait --for=jsonpath='{.status.ready}'=2 job/old --timeout=60s",
    );
    const uid = await simulated.run("kubectl get job old -o jsonpath='{.metadata.uid}'");
    expect(await simulated.run("kubectl get job old -o yaml")).toMatch(
      new RegExp(`^ {2}selector:\n {4}matchLabels:\n {6}batch\\.kubernetes\\.io/controller-uid: ${uid}$`, "m"),
    );
    const names = await simulated.run("kubectl get pods --selector=job-name=old -o name");
    expect(await simulated.run("kubectl delete jobs/old --cascade=orphan")).toBe('job.batch "old" deleted\n');
    expect(
      await simulated.run(
        `sed "s/a8f3d00d-c6d2-11e5-9f87-42010af00002/${uid}/" examples/kubectl/adopted.yaml | kubectl apply -f -`,
      ),
    ).toBe("job.batch/new created\n");
    await simulated.run("kubectl wait --for=jsonpath='{.status.ready}'=2 job/new --timeout=60s");
    const pods = `kubectl get pods --selector=batch.kubernetes.io/controller-uid=${uid}`;
    expect(await simulated.run(`${pods} -o name`)).toBe(names);
    expect(
      await simulated.run(
        `${pods} -o jsonpath='{.items[*].metadata.ownerReferences[*].name} {.items[*].metadata.finalizers[*]}'`,
      ),
    ).toBe("new new batch.kubernetes.io/job-tracking batch.kubernetes.io/job-tracking");
    expect(await simulated.run("kubectl get job new -o jsonpath='{.metadata.uid}'")).not.toBe(uid);
    await simulated.run("kubectl delete job new --cascade=foreground");
    expect(await simulated.run(`${pods} -o name`)).toBe("");
  });

  it("refuses a new Job whose own pods would not fit its selector", async () => {
    const job = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "new" },
      spec: {
        manualSelector: true,
        selector: { matchLabels: { a: "b" } },
        template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } },
      },
    };
    const { status, err } = await kubectl(simulated.served, ["create", "-f", "-"], JSON.stringify(job));
    expect(status).toBe(1);
    expect(err).toContain("spec.template.metadata.labels: Invalid value");
    const own = { ...job, spec: { ...job.spec, manualSelector: false } };
    expect((await kubectl(simulated.served, ["create", "-f", "-"], JSON.stringify(own))).err).toContain(
      "spec.selector: Invalid value",
    );
  });
});
