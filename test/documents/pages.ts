/**
 * What the documents' console blocks need beyond their own commands: what runs before a command, which commands may
 * print their lines in another order, and which are not run, with the reason.
 */

/** A command of a document, by how it begins: the first one that begins so, and that is not named yet. */
export interface Special {
  readonly command: string;
  /** Lines of a shell that run first: what a reader has done, or what time has done. */
  readonly before?: string;
  /** Lines come as containers that run at the same time print them, or as events come: each must be there. */
  readonly anyOrder?: true;
  /** Why it is not run; names the test that shows the same. */
  readonly notRun?: string;
}

/** Creates a Job whose containers do as the annotation says. @param field of its spec */
const job = (name: string, simulate: string, field = "backoffLimit: 6"): string => `cat >${name}.yaml <<'END'
apiVersion: batch/v1
kind: Job
metadata: {name: ${name}}
spec:
  ${field}
  template:
    metadata: {annotations: {stint.dev/simulate: '${simulate}'}}
    spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}
END
kubectl create -f ${name}.yaml`;

/** Starts a cluster, which the next commands use. */
const serve = (...flags: readonly string[]): string => `stint serve ${flags.join(" ")} >served 2>&1 &
until grep -q 'another terminal' served; do sleep 0.1; done
export KUBECONFIG=$PWD/stint.kubeconfig`;

export const PAGES: Readonly<Record<string, readonly Special[]>> = {
  "docs/controller.md": [
    { command: "stint controller --kubeconfig", before: "until [ -s stint.kubeconfig ]; do sleep 0.1; done" },
    {
      command: "stint controller --config",
      before: String.raw`printf 'kubeconfig: stint.kubeconfig\n\nleaseDuration: "15"\n' >stint.yaml`,
    },
    {
      command: "curl -s http://127.0.0.1:8080/debug",
      before: `export KUBECONFIG=$PWD/stint.kubeconfig
${job("pi", '{"exitCode": 1, "runMs": 500}', "managedBy: stint.dev/job-controller")}`,
    },
  ],
  "docs/doctor.md": [
    {
      command: "stint doctor",
      notRun: "it takes hundreds of Jobs, old faults among them: test/host-node/cli/transcripts/doctor.txt",
    },
  ],
  "docs/flight-recorder.md": [
    { command: "stint replay flight", notRun: "an hour of a cluster: test/host-node/cli/replay-flight.test.ts" },
    { command: "stint replay --job", notRun: "an hour of a cluster: test/host-node/cli/replay-flight.test.ts" },
    { command: "stint import --save flight.jsonl", notRun: "an hour of a cluster: test/host-node/cli/import.test.ts" },
    { command: "stint import --job retries", notRun: "objects of a real cluster: test/host-node/cli/import.test.ts" },
    { command: "stint import --job late", notRun: "objects of a real cluster: test/host-node/cli/import.test.ts" },
  ],
  "docs/images.md": [{ command: "stint run --runtime docker", notRun: "it needs Docker and a registry: test/engines" }],
  "docs/run.md": [
    { command: "stint run examples/pi.yaml", anyOrder: true },
    { command: "stint run examples/readme/jobs", anyOrder: true },
  ],
  "docs/shadow.md": [
    { command: "stint controller --shadow", before: serve() },
    { command: "stint why pi --shadow", notRun: "it needs a controller that errs: test/kubernetes/shadow.test.ts" },
    { command: "npm run parity", notRun: "it is a stage of CI, shadow of random Jobs" },
  ],
  "docs/tutorials/try-it-on-a-cluster.md": [
    { command: "stint controller --shadow" },
    // Ctrl-C in the other terminal.
    { command: "stint controller", before: "kill $(jobs -p | tail -1); sleep 1" },
  ],
  "docs/wait.md": [
    {
      command: "stint wait pi retry",
      anyOrder: true,
      before: `${serve()}
${job("retry", '{"exitCode": 1, "runMs": 500}', "backoffLimit: 2")}
sleep 2
${job("pi", '{"runMs": 3000}')}`,
    },
    {
      command: "stint wait migrate",
      anyOrder: true,
      before: job("migrate", '{"exitCodes": [1, 0], "runMs": 500}') + "\nsleep 2",
    },
    {
      command: "stint wait import",
      notRun: "a kubelet under pressure evicts its pod: test/host-node/cli/transcripts/wait.txt",
    },
    {
      command: "stint wait report",
      notRun: "it takes five minutes: test/host-node/cli/transcripts/wait.txt in virtual time",
    },
    { command: "echo $?" },
    { command: "echo $?", notRun: "it is about the command before it" },
  ],
  "docs/webhook.md": [
    { command: "kubectl -n strict create", notRun: "a cluster must call the webhook: test/kubernetes/webhook.test.ts" },
    { command: "kubectl label namespace", notRun: "a cluster must call the webhook: test/kubernetes/webhook.test.ts" },
    { command: "kubectl -n team-b create", notRun: "a cluster must call the webhook: test/kubernetes/webhook.test.ts" },
  ],
  "docs/lint.md": [{ command: "stint lint --emit-policy", before: serve() }],
  "docs/why.md": [
    { command: "kubectl port-forward", notRun: "no pod is a controller here" },
    { command: "stint why pi --controller", notRun: "it follows that: test/host-node/cli/why.e2e.test.ts" },
    { command: "stint why big", notRun: "it needs the built-in controller: test/kubernetes/why.test.ts" },
    {
      command: "stint why cj/report",
      notRun: "it takes 25 minutes: test/host-node/cli/transcripts/why-cron-job.txt in virtual time",
    },
    {
      command: "stint why pod/flaky",
      notRun: "a CronJob starts each minute: test/host-node/cli/transcripts/why-pod.txt in virtual time",
    },
    { command: "stint why jobset", notRun: "it needs JobSet: test/kubernetes/jobset" },
  ],
};
