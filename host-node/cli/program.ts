/**
 * The command line: its words, its help and its exit statuses.
 *
 * Invariant: a mistake of the user ends with exit status 2 and a message on standard error. If the machine refuses
 * something, the status is 74. Both print no stack trace; a stack trace means a bug in this program. The code of a
 * command is loaded only when it is used, because a controller needs no cluster.
 */
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { type Command, CommanderError, Help, InvalidArgumentError, Option } from "commander";
import { SETTINGS as CONTROLLER_SETTINGS } from "../controller/settings.ts";
import { DEFAULT_WATCHES, MAX_WATCHES } from "../server/room.ts";
import { MAX_PORT } from "../settings/kinds.ts";
import { defaultOf, flagOf, listText, type Setting, type SettingsTable, variableOf } from "../settings/table.ts";
import { UsageError } from "../usage-error.ts";
import { PROFILE_SETTINGS } from "../webhook/profile-settings.ts";
import { SETTINGS as WEBHOOK_SETTINGS } from "../webhook/settings.ts";
import type { Console } from "./console.ts";
import { keepCompiledCode } from "./compiled-code.ts";
import { parseDuration } from "./duration.ts";
import { errorText, EXIT_BAD_INPUT, EXIT_MACHINE } from "./exit-status.ts";
import { SETTINGS as LINT_SETTINGS } from "./lint/settings.ts";
import { MAX_NODES } from "./node-names.ts";
import { RUN_FORMATS } from "./output/formats.ts";
import { printableLines } from "./output/printable.ts";
import { ListOption, StrictCommand } from "./strict-command.ts";
import { unknownCommandText } from "./unknown-command.ts";
import { withWrappedErrors } from "./output/wrapped.ts";
import { GOALS } from "./wait/outcome.ts";
import type { DurationRange } from "./forecast.ts";
import { DEFAULT_FEATURE_GATES, type FeatureGates, formatFeatureGates, parseFeatureGates } from "./feature-gates.ts";

const HELP = new Help();

const EXAMPLES = `
Examples:
  stint run examples/pi.yaml
      run a Job's commands as local processes, inside bubblewrap
  stint run --no-isolation job.yaml
      the same without bubblewrap, with all your rights
  stint run --runtime simulated examples/*.yaml
      run nothing: simulate, in virtual time, as fast as possible
  cat job.yaml | stint run -
      read standard input
  stint serve
      a Kubernetes API on loopback for kubectl
  stint why hello
      why a Job of any cluster is where it is, and what comes next
  stint forecast job.yaml --pod-duration 5m..20m
      what a Job will do: pods, retries, when it ends
  stint wait hello
      wait until a Job of any cluster has really ended, and say how
  stint lint manifests/
      what is wrong with Jobs before they run
  stint doctor
      what is wrong with the Jobs of a cluster, and the commands that mend it
  stint upgrade-check --from 1.34 --to 1.36 manifests/
      which Jobs behave differently after an upgrade of Kubernetes
  stint controller
      run Jobs of a real cluster, beside its own controller or instead of it
  stint webhook --cert tls.crt --key tls.key
      review Jobs of a real cluster before they are stored
  stint run --record r.jsonl job.yaml
      record what the engine is told; stint replay r.jsonl plays it again
`;

const RUN_HELP = `
FILE is YAML or JSON with Jobs, ConfigMaps, Secrets, PersistentVolumeClaims,
ResourceQuotas and Namespaces, several documents if you like; - is standard
input. With --now the Job of each CronJob is run, too. Other kinds are left out,
with a warning. Of a folder, all files are taken that end in .yaml, .yml or
.json. All of them are checked before anything runs.

Exit status:
  0    every Job is complete
  1    a Job has failed
  2    bad input: file, line, column, field and what is allowed
  74   the machine refuses what is needed: a full disk, no temporary folder
  124  the time-out has come
  130  interrupted: Ctrl-C stops the pods, a second one kills them
  141  nobody reads the output any more
  143  ended by SIGTERM, as by Ctrl-C; 129 by SIGHUP

Examples:
  stint run examples/pi.yaml
  stint run --visible . job.yaml
      commands see the system's programs, not your files; here, this folder
  stint run --now cronjob.yaml
      run the Job of a CronJob once
  stint run --watch jobs/
      run again at each change of a file
  helm template chart | stint run -
  stint run --timeout 5m --output json job.yaml | jq 'select(.type == "log")'
  stint run --output junit jobs/ > jobs.xml
  stint run --output github jobs/
      in a workflow: groups, annotations, and a table on its page
  stint run --runtime simulated examples/simulated-failure.yaml
  stint run --runtime simulated --explain examples/simulated-failure.yaml
`;

const SERVE_HELP = `
The API has a certificate and a token of its own, both in the kubeconfig, which
only you can read and which is removed when the server ends. It listens on
127.0.0.1 only. A kubeconfig that a server of this machine has left behind when
it was killed is replaced.

Exit status:
  0   ended by SIGTERM or Ctrl-C
  1   a fault that it cannot get over
  2   bad usage: the port is in use, the kubeconfig is there
  74  the machine refuses what is needed: a full disk, no temporary folder

Examples:
  stint serve
  stint serve --runtime process --no-isolation --port 6443
  stint serve --no-controller
      to try a controller of your own, or stint controller --default-controller
  stint serve --api-only
      for upstream's kube-controller-manager and kube-scheduler, and kwok
  stint serve --clock virtual --control --until-stdin-closes --output json
      for a program that starts it: a line of JSON says where it serves
  stint serve --authorization rbac --token-auth-file users.csv
      what roles and bindings allow; a line of the file is token,name,uid
  stint serve --data-dir ./stint-data
      the same cluster again after a restart, and after a crash
  export KUBECONFIG=$PWD/stint.kubeconfig; kubectl create -f examples/pi.yaml
  kubectl logs job/pi --follow
`;

const CONTROLLER_HELP = `
Each setting can be given as a flag, in the environment (--lease-duration as
${variableOf("leaseDuration")}), and in the file (leaseDuration). A flag beats the
environment, that beats the file.

Unless told otherwise it runs the Jobs whose spec.managedBy is
${CONTROLLER_SETTINGS.managedBy.initial} and leaves all others to the built-in controller.

Exit status:
  0  ended by SIGTERM or Ctrl-C: what was under way is settled
  1  a fault that it cannot get over
  2  bad usage, or an API server that drops managedBy
  74 the log could not be written: the disk is full, say

Examples:
  stint controller
      for the cluster of your kubeconfig, beside the built-in controller
  stint controller --namespaces ci --leader-elect=false --listen off
      as a sidecar: one namespace, no election, the least memory
  stint controller --default-controller --config stint.yaml
      in place of the built-in controller
  stint controller --shadow
      to write nothing, and tell where the built-in controller does otherwise
  curl http://127.0.0.1:8080/debug/jobs/default/pi
      what it does about a Job, and why
`;

const WEBHOOK_HELP = `
Each setting can be given as a flag, in the environment (--reload-period as
${variableOf("reloadPeriod")}), and in the file (reloadPeriod). A flag beats the
environment, that beats the file. --cert and --key are needed.

  POST /validate   says what is wrong with a Job or Pod, field by field, and
                   warns of what is probably not meant; changes nothing
  POST /mutate     sets the defaults of Kubernetes 1.36; refuses nothing
  POST /validate/NAME  /mutate/NAME
                   the same, and what the profile NAME asks of Jobs and CronJobs
  GET  /healthz  /readyz  /metrics

All take an AdmissionReview of admission.k8s.io/v1, for CREATE and UPDATE of
Jobs, CronJobs and Pods and UPDATE of jobs/status; everything else is allowed as
it is.

A profile is a file NAME.yaml in the folder of --profiles, with these settings
or with those of a settings file of stint lint (docs/webhook.md):

${profileHelp()}

Exit status:
  0  ended by SIGTERM or Ctrl-C: what was under way is answered
  1  a fault that it cannot get over
  2  bad usage, or a certificate or a profile that cannot be used
  74 the log could not be written: the disk is full, say

Examples:
  stint webhook --cert tls.crt --key tls.key
      on loopback, port 8443
  stint webhook --cert tls.crt --key tls.key --listen 0.0.0.0:8443
      inside a pod
  stint webhook --cert tls.crt --key tls.key --profiles profiles/
      with profiles/strict.yaml: rule: [NoDeadline=deny] and maxPods: 50
  curl --cacert ca.crt https://localhost:8443/readyz
`;

/** The settings of a profile, a line each. */
function profileHelp(): string {
  return Object.entries(PROFILE_SETTINGS)
    .map(([name, { help }]) => `  ${name.padEnd(12)}  ${help}`)
    .join("\n");
}

const LINT_HELP = `
FILE is YAML or JSON with Jobs and CronJobs, several documents if you like, and
lists; - is standard input. Other kinds are passed over; a ResourceQuota,
LimitRange or PodDisruptionBudget counts for the Jobs of its namespace. Of a
folder, all files are taken that end in .yaml, .yml or .json. First comes what
the API server would refuse, then advice. docs/lint.md says of each code what it
means and what to do.

A comment keeps a rule silent, for its own line or, on a line of its own, for
the next one; before an object for all of it. It needs a reason:

  # stint-ignore NoDeadline: the import may take days

Each setting can be given as a flag, in the environment (--fail-on as
${variableOf("failOn")}), and in the file (failOn). A flag beats the environment,
that beats the file.

Exit status:
  0   nothing, or warnings alone
  1   the API server would refuse a Job, or a rule denies it; with --fail-on
      warn, a warning is enough
  2   bad usage, or a file that cannot be read
  74  the output cannot be written

Examples:
  stint lint manifests/
  helm template chart | stint lint -
  stint lint --rule NoTimeToLive=off,LegacySidecar=deny job.yaml
  stint lint --output sarif manifests/ > lint.sarif
`;

const UPGRADE_CHECK_HELP = `
FILE is YAML or JSON with Jobs and CronJobs, several documents if you like; - is
standard input. Of a folder, all files are taken that end in .yaml, .yml or
.json. Without FILE the Jobs and CronJobs of a cluster are listed; nothing is
written. A field that the present version drops is in files alone.

VERSION is 1.32, 1.33, 1.34, 1.35 or 1.36. docs/upgrade-check.md says of each
change what it means and what to do.

Exit status:
  0   nothing changes
  1   Jobs behave differently
  2   bad usage, or a file or a cluster that cannot be read
  74  the output cannot be written

Examples:
  stint upgrade-check --from 1.34 manifests/
  helm template chart | stint upgrade-check --from 1.34 --to 1.36 -
  stint upgrade-check --context production
      from the version that the cluster has now
`;

const REPLAY_HELP = `
A recording holds what the engine of a run was told, so that what it did can be
looked at again, and again. Nothing is sent and nothing is written. The engine
must be the very module that was recorded.

The flight recorder of stint controller leaves out what may be secrets, so no
engine can do the same again. What was decided then is shown as it was recorded,
with what was refused and what is missing.

Exit status:
  0  the same requests, byte for byte, as far as the recording goes
  1  not the same: the first difference
  2  no recording, one without a call, one that was changed or damaged, or one
     of another engine
  74 the output cannot be written

Examples:
  stint run --record hello.jsonl examples/hello.yaml
  stint replay --explain hello.jsonl
  stint replay --job team/pi /var/lib/stint/flight
`;

const IMPORT_HELP = `
kubectl watches one kind at a time, so there are two logs. They may be of any
cluster, and of any version of the controller that is built into Kubernetes:

  kubectl get jobs -A --watch --output-watch-events -o json > jobs.json &
  kubectl get pods -A --watch --output-watch-events -o json > pods.json &

The engine is told what they show. Each write of the controller is shown with
the decision that the engine makes there. Where it makes none, that is said.
Times are whole seconds, because a watch has no clock. Without
--output-watch-events a deletion is told by an object that is printed again.

Nothing is sent. Values of environment variables and annotations are left out.

Exit status:
  0   it is shown
  2   bad usage, or what is no such log: file, line and column
  74  the output cannot be written

Examples:
  stint import jobs.json pods.json
  stint import --job team/pi --save pi.jsonl jobs.json pods.json
      pi.jsonl can be opened in the playground
  stint import --job pi --until 2026-11-23T20:36:22Z jobs.json pods.json
      why the Job was where it was at that time
  stint import --save flight.jsonl /var/lib/stint/flight
`;

const WAIT_HELP = `
JOB is a name, or what kubectl shows: pi, job/pi, job.batch/pi. The cluster is
that of --kubeconfig, else of $KUBECONFIG, else of ./stint.kubeconfig, which
stint serve writes, else the one that kubectl takes.

Of a file with -f only the names and namespaces of its Jobs are read. All are in
one namespace. A Job with generateName has no name that a file knows.

A Job has ended when its condition Complete or Failed is True. Failed pods are
no end: the Job may try again. On the way it is said what each Job does: that it
retries and when, that its pods are stuck and why, that nobody runs it. For that
list and watch on jobs and pods are enough; without pods less is said. The Jobs
are those that are there when the wait begins.

--for says what is waited for. A Job that has ended otherwise, or is deleted
before it has ended, is waited for no longer. Nor is one that was stuck for as
long as --give-up-when-stuck says: an image that is not there, a quota, no node.
The others are still waited for.

Exit status:
  0    finished: every Job has succeeded; else every Job is as --for says
  1    a Job has failed, has ended otherwise than --for says, or was deleted
  2    bad usage, no such Job, or there is nobody to ask
  3    no Job has failed, and one was given up because it was stuck
  74   the output cannot be written
  124  the time-out has come
  130  interrupted by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP

Examples:
  stint wait pi && echo done
  stint wait -n team job/a job/b --timeout 30m
  stint wait -f job.yaml
  stint wait pi --timeout 1h --give-up-when-stuck 5m
  stint wait -l app=migrate --for succeeded --output junit > jobs.xml
  stint wait pi --output json | jq -r .sentence
      one JSON object a line, whenever something changes

     0.1s  pi  is running: 1 active, 0 of 1 succeeded
    12.4s  pi  is retrying: 0 active, 0 of 1 succeeded, 1 failed; the next
               pod is created in 9 s
    31.0s  pi  has succeeded 1 s ago: Reached expected number of succeeded …
`;

const FORECAST_HELP = `
FILE is YAML or JSON with Jobs or CronJobs; - is standard input. Nobody is
asked: the numbers follow from the Job and from Kubernetes' rules. They hold
while nobody changes the Job, and its pods end by themselves or are evicted
while they run. Times count from the creation of the Job, or from its resumption
if it is suspended.

--pod-duration is how long a pod takes from its creation to its end; with
restartPolicy OnFailure, each run of its containers. Without it no end is known.
--disruptions is how many pods end by what a rule with the action Ignore
matches, which has no limit otherwise; or how many are evicted. Evicted pods may
be replaced while they still end, so that more are there at once than
spec.parallelism says.

A number is exact (some outcome reaches it), or said to be a bound. A controller
gathers events for up to a second, so times may be that much later for each pod.

With --outcome each Job is run whole, simulated, in virtual time: a picture of
its pods, and each number of the run beside its forecast. The outcome is the
JSON of the pod annotation stint.dev/simulate; the word annotation takes that of
the Job. By attempt, a retry is the next one:

  '{"exitCode": 1}'                           every pod fails
  '{"exitCodes": [1, 1, 0], "runMs": 30000}'  two fail, then one succeeds
  '{"runMs": [1000, 9000]}'                   drawn between both, by --seed
  '{"byIndex": {"3": {"exitCode": 42}}}'      index 3 fails, others succeed
  '{"runMs": "forever"}'                      until the deadline

Also: startDelayMs, signal, reason, message, sigterm, ignoreSigterm, failReason,
failMessage, byContainer. The simulated pods have no commands, environment and
volumes, and room on a node. --playground is where npm run playground serves,
and adds a link that opens the same run there.

Exit status:
  0   every Job has a forecast
  2   bad input: file, line, column, and what is allowed
  74  the output cannot be written

Examples:
  stint forecast job.yaml
      how many pods, and when it gives up
  stint forecast job.yaml --pod-duration 5m..20m
  helm template . | stint forecast - --output json | jq .pods.most.value
  stint forecast job.yaml --disruptions 0
      nothing is evicted
  stint forecast job.yaml --outcome '{"exitCodes": [1, 1, 0], "runMs": 60000}'
  stint forecast job.yaml --outcome annotation --output json | jq .run.timeline
`;

const WHY_HELP = `
JOB is a name, or what kubectl shows: pi, job/pi, job.batch/pi. The cluster is
that of --kubeconfig, else of $KUBECONFIG, else of ./stint.kubeconfig, which
stint serve writes, else the one that kubectl takes. Times are UTC.

Asked are, in this order: --controller; the server, which answers if it is
stint serve; a stint controller in the cluster, by its Lease. Where none of
them explains the Job, its own objects do, whoever runs it. For that get on
jobs and list on pods and events are enough; with get on pods/log the last lines
of the pod that failed last are shown, too. Nothing is ever changed.

stint explain CODE says of each code what it means and what to do; -o json has
the code of each decision, too.

Exit status:
  0  there is an answer
  2  bad usage, no such Job, or there is nobody to ask
  74 the output cannot be written

Examples:
  stint why pi
  stint why -n team job/retry --context prod
  stint why pi --output json | jq .sentence
  kubectl -n stint-system port-forward POD 8080
  stint why pi --controller http://127.0.0.1:8080
  stint why pi --controller http://127.0.0.1:8080 --shadow
      where the built-in controller and Stint diverge in it

  job retry  Waiting
    waiting 7 s before the next pod is created: 1 failure in a row, …
    succeeded 0/1   failed 1 (backoffLimit 6)   active 0   ready 0   …
    next: in 7 s, at 10:02:21 UTC
    from its objects: no controller that explains it was found
    run by the built-in controller; kube-controller-manager wrote its …
`;

const EXPLAIN_HELP = `
The words are those of docs/decisions.md and docs/lint.md, which come with this
command.

Exit status:
  0  it is explained
  2  there is no such code
  74 the output cannot be written, or the pages are not there

Examples:
  stint explain Backoff
  stint explain NoDeadline
`;

const DOCTOR_HELP = `
It looks once at all Jobs of a cluster, and at their pods, for what no
controller mends by itself: finalizers that nobody will remove, Jobs that nobody
manages, webhooks that refuse a controller's writes, statuses that the API
server would refuse, Jobs that wait for ever. It prints the command that mends
each; docs/doctor.md says what to look at before. The cluster is that of
--kubeconfig, else of $KUBECONFIG, else of ./stint.kubeconfig, which stint serve
writes, else the one that kubectl takes.

Nothing is changed. List on jobs is needed; what else may not be read is passed
over, and said.

Exit status:
  0   nothing is wrong, in what could be looked at
  1   something is
  2   bad usage, or there is nobody to ask
  74  the output cannot be written

Examples:
  stint doctor
  stint doctor -n team --older-than 1h
  stint doctor --output json | jq -r '.findings[].mend'
  stint doctor --try-patches
      also ask, as a dry run, whether finalizers may be removed

  error FinalizerLeft: pods keep a finalizer that no controller will remove
    pod team/pi-x7k2p: it has the finalizer batch.kubernetes.io/job-tracking, …
      mend: kubectl -n team patch pod pi-x7k2p --type json -p '[…]'
`;

/** @param args without the program itself. @returns the exit status */
export async function main(args: readonly string[], version: string, processConsole: Console): Promise<number> {
  const console = withWrappedErrors(processConsole);
  let exitStatus = 0;
  let isTold = false;
  console.onOutputClosed(() => {
    if (console.outputProblem === undefined || isTold) return;
    isTold = true;
    console.writeError(`stint: standard output cannot be written: ${console.outputProblem}\n`);
  });
  const program = createProgram(version, console, (status) => (exitStatus = status));
  const unknown = unknownCommandText(
    args,
    program.commands.map((command) => command.name()),
  );
  try {
    if (unknown !== undefined) throw new UsageError(unknown);
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    exitStatus = failure(error as Error, console);
  }
  await turn(); // Streams tell of an error a moment after the write.
  return exitStatus === 0 && console.outputProblem !== undefined ? EXIT_MACHINE : exitStatus;
}

/** @param exit gets the exit status of the command that was given */
export function createProgram(version: string, console: Console, exit: (status: number) => void): Command {
  const program = new StrictCommand("stint")
    .description("Runs Kubernetes Jobs: on this machine, simulated, or those of a real cluster.")
    .version(version)
    .configureOutput({
      writeOut: (text) => void console.writeOut(text),
      writeErr: (text) => console.writeError(printableLines(text)),
    })
    .configureHelp({ optionDescription: descriptionOf })
    .exitOverride()
    .showHelpAfterError("(--help lists the options)")
    .addHelpText("after", EXAMPLES);
  const recording = (command: Command): Command =>
    command
      .optionsGroup("Recording:")
      .option(
        "--record <file>",
        "record everything that the engine is told, for stint replay; the file has all that is in the pods, secrets too, and only you can read it",
      )
      .option("--force", "with --record: replace the file", false);
  const isolation = (command: Command): Command =>
    command
      .optionsGroup("What commands and containers may do, by runtime:")
      .option("--no-isolation", "process: run commands with all your rights, not inside bubblewrap")
      .option(
        "--share-processes",
        "with --no-isolation: let commands see and signal all your processes; else only those of their container, where the system can do that",
        false,
      )
      .option("--network", "process, docker, podman: let commands reach the network", false)
      .addOption(
        new ListOption(
          "--visible <path>",
          "process: a file or folder that commands inside bubblewrap may read; . is where you are; may be given several times",
          (paths) => paths,
        ).default([], "none"),
      )
      .option(
        "--allow-host-path",
        "process, docker, podman: mount hostPath volumes, which are refused otherwise",
        false,
      )
      .option(
        "--allow-privileged",
        "docker, podman: allow privileged containers, more capabilities and the host's namespaces",
        false,
      )
      .option("--engine-socket <path>", "docker, podman: the socket of the engine, which is looked for otherwise");

  const gates = (command: Command): Command =>
    command
      .optionsGroup("Kubernetes:")
      .addOption(
        new ListOption(
          "--feature-gates <gates>",
          "alpha behaviour, as Name=true,Name=false: WorkloadWithJob gives gangs a Workload and a PodGroup",
          asFeatureGates,
        ).default(DEFAULT_FEATURE_GATES, formatFeatureGates(DEFAULT_FEATURE_GATES)),
      );

  const runCommand = program
    .command("run")
    .optionsGroup("What is run:")
    .addOption(
      new ListOption(
        "-f, --filename <file>",
        "a file or folder, as kubectl names it; may be given several times",
        (files) => files,
      ),
    )
    .option("-R, --recursive", "of a folder, the folders within it too", false);
  recording(gates(isolation(runCommand)))
    .description("Run Jobs to their end and show their progress and logs.")
    .argument("[file...]", "manifests, and folders of them; - is standard input")
    .optionsGroup("How it is run, and what is shown:")
    .addOption(
      new Option("--runtime <runtime>", "what runs the pods")
        .choices(["process", "simulated", "docker", "podman"])
        .default("process"),
    )
    .addOption(
      new Option("-o, --output <format>", "text for people, one JSON object a line, or what CI servers and forges read")
        .choices(RUN_FORMATS)
        .default("text"),
    )
    .addOption(volumeFolderOption())
    .option("--watch", "run again whenever a file has changed, until Ctrl-C", false)
    .option("--now", "run the Job of each CronJob once, whatever its schedule says", false)
    .option(
      "--strict",
      "simulated: refuse Secrets, labels of nodes, devices and other things that the files do not have",
      false,
    )
    .option(
      "--timeout <duration>",
      "end after this long: 30s, 5m, 1h30m; in simulated time if the runtime is simulated",
      asDuration,
    )
    .option(
      "--explain",
      "show each decision of the controller as it is made: why, and what comes next; stint explain says more of a code",
      false,
    )
    .addHelpText("after", RUN_HELP)
    .action(async (files: string[], { timeout, record, filename = [], ...options }) => {
      const { run } = await import("./run.ts");
      exit(await run({ ...options, files: [...files, ...filename], record, timeoutMs: timeout }, console));
    });

  recording(gates(isolation(program.command("serve"))))
    .description("Serve the cluster on loopback, for kubectl and other clients, until Ctrl-C.")
    .optionsGroup("What is served:")
    .option("--port <number>", "port on 127.0.0.1; 0: any free one", asPort, 0)
    .addOption(
      new Option("--runtime <runtime>", "what runs the pods; none: somebody else, through the API")
        .choices(["simulated", "process", "docker", "podman", "none"])
        .default("simulated"),
    )
    .option("--max-watches <number>", "watches and followed logs at the same time", asMaxWatches, DEFAULT_WATCHES)
    .option("--no-controller", "no controller of Jobs and CronJobs: another one acts, through the API")
    .option("--scheduler", "bind pods to nodes, with --runtime none too: other programs make the nodes")
    .option("--no-scheduler", "bind no pods to nodes: another scheduler does, through the API")
    .addOption(
      new Option("--api-only", "the API alone: no controller, scheduler, kubelet or garbage collector")
        .default(false)
        .conflicts([
          "runtime",
          "scheduler",
          "nodes",
          "record",
          "isolation",
          "shareProcesses",
          "network",
          "visible",
          "allowHostPath",
          "allowPrivileged",
          "engineSocket",
          "volumeFolder",
        ]),
    )
    .option("--kubeconfig <file>", "where to write the kubeconfig; never over an existing file", "./stint.kubeconfig")
    .addOption(
      new Option("--authorization <mode>", "who may do what: everybody everything, or as roles and bindings say")
        .choices(["always-allow", "rbac"])
        .default("always-allow"),
    )
    .addOption(volumeFolderOption())
    .option(
      "--data-dir <folder>",
      "keep everything there, for the next server with this folder; made if it is not there",
    )
    .option("--token-auth-file <file>", 'further users, a line each: token,name,uid,"group1,group2"')
    .addOption(
      new Option("--clock <clock>", "the cluster's time; virtual: it stands still until a test moves it")
        .choices(["real", "virtual"])
        .default("real"),
    )
    .addOption(
      new Option("--control", "serve the API by which tests move time and decide how pods end: docs/control-api.md")
        .default(false)
        .conflicts(["apiOnly", "dataDir", "record"]),
    )
    .option("--nodes <number>", "simulated nodes, node-1 and so on; else one, stint", asNodes)
    .option("--seed <number>", "with --control: draws names and run times, the same for the same number", asCount)
    .option(
      "--until-stdin-closes",
      "end when standard input closes: a program that starts this one, and is killed, leaves no server behind",
      false,
    )
    .addOption(outputOption("text for people, or one JSON object a line for the program that started it"))
    .addHelpText("after", SERVE_HELP)
    .action(async ({ record, ...options }) => {
      // A cluster for tests is there many times, and none of them is busy for long.
      if (options.control) {
        keepHeapSmall();
        keepCompiledCode(console.environment);
      }
      const { serve } = await import("./serve.ts");
      exit(await serve({ ...options, record }, console));
    });

  const controllerCommand = program
    .command("controller")
    .description("Run the Jobs of a real cluster: connect to its API server and act until told to end.")
    .addHelpText("after", CONTROLLER_HELP)
    .action(async (given: GivenSettings) => {
      keepHeapSmall();
      compileWebAssemblyOnce();
      const { controller } = await import("./controller.ts");
      exit(await controller({ ...settingsOf(given), version }, console));
    });
  addSettings(controllerCommand, CONTROLLER_SETTINGS, "leaseDuration: 15s");

  const webhookCommand = program
    .command("webhook")
    .description(
      "Review the Jobs of a real cluster before they are stored: an admission webhook over HTTPS, until told to end.",
    )
    .addHelpText("after", WEBHOOK_HELP)
    .action(async (given: GivenSettings) => {
      keepHeapSmall();
      const { webhook } = await import("./webhook.ts");
      exit(await webhook({ ...settingsOf(given), version }, console));
    });
  addSettings(webhookCommand, WEBHOOK_SETTINGS, "requestTimeout: 5s");

  program
    .command("replay")
    .description("Play a recording of --record on this program's engine: does it do the same?")
    .argument("<file>", "what run or serve has recorded; the folder of a controller, or one of its files")
    .option("--explain", "show the decisions of the controller as they were made", false)
    .option("--job <job>", "show those about this Job alone: pi, or team/pi")
    .addHelpText("after", REPLAY_HELP)
    .action(async (file: string, options) => {
      const { replay } = await import("./replay.ts");
      exit(await replay({ ...options, file }, console));
    });

  program
    .command("import")
    .description("Explain what a Job controller did, from logs of kubectl or a flight recording.")
    .argument("<file...>", "logs of kubectl get jobs|pods --watch -o json; or the folder of a flight recorder")
    .option("--save <file>", "make a recording of it, for stint replay and the playground")
    // Its name in earlier versions. Elsewhere -o names a format.
    .addOption(new Option("-o, --output <file>", "the same as --save").conflicts("save").hideHelp())
    .option("--force", "with --save: replace the file", false)
    .option("--job <job>", "show what concerns this Job alone, and where it stands: pi, or team/pi")
    .option("--until <time>", "leave out what happened later: 2026-11-23T20:36:22Z")
    .option("--everything", "leave values of environment variables and annotations in the recording", false)
    .addHelpText("after", IMPORT_HELP)
    .action(async (files: string[], { output, save = output, ...options }) => {
      const { importLogs } = await import("./import.ts");
      exit(await importLogs({ ...options, files, save }, console));
    });

  program
    .command("why")
    .description("Say why a Job of any cluster is where it is, and what comes next.")
    .argument("<job>", "its name")
    .option("-n, --namespace <namespace>", "of the Job; else that of the kubeconfig's context")
    .option("--kubeconfig <file>", "credentials; else $KUBECONFIG, else ./stint.kubeconfig, else as kubectl")
    .option("--context <name>", "context of the kubeconfig; else its current one")
    .option(
      "--controller <url>",
      "ask this controller first: http://127.0.0.1:8080 of a port-forward; it is sent no credentials",
    )
    .option(
      "--shadow",
      "what a stint controller --shadow at --controller has found to diverge in the Job, instead",
      false,
    )
    .option("--controller-namespace <namespace>", "where the Lease of a stint controller is looked for", "stint-system")
    .addOption(outputOption("text for people, or the whole explanation as JSON"))
    .addHelpText("after", WHY_HELP)
    .action(async (job: string, options) => {
      const { why } = await import("./why.ts");
      exit(await why({ ...options, job }, console));
    });

  program
    .command("explain")
    .description("Say what a code means that another command has shown, and what to do.")
    .argument("[code]", "of a decision or a rule of lint: Backoff, NoDeadline; none: list them")
    .addHelpText("after", EXPLAIN_HELP)
    .action(async (code: string | undefined) => {
      const { explainCode } = await import("./explain-code.ts");
      exit(explainCode(code, console));
    });

  program
    .command("wait")
    .description("Wait until Jobs of any cluster have really ended, and say how.")
    .argument("[job...]", "their names")
    .option("-l, --selector <selector>", "wait for the Jobs with these labels: app=migrate,tier!=test")
    .addOption(
      new ListOption(
        "-f, --filename <file>",
        "wait for the Jobs that a file or folder names, - is standard input; may be given several times",
        (files) => files,
      ),
    )
    .option("-R, --recursive", "of a folder, the folders within it too", false)
    .addOption(new Option("--for <goal>", "what to wait for").choices(GOALS).default("finished"))
    .option("--timeout <duration>", "end after this long: 30s, 5m, 1h30m; else never", asDuration)
    .option("--give-up-when-stuck <duration>", "wait no longer for a Job that is stuck for so long: 5m", asDuration)
    .option("-n, --namespace <namespace>", "of the Jobs; else that of the kubeconfig's context")
    .option("--kubeconfig <file>", "credentials; else $KUBECONFIG, else ./stint.kubeconfig, else as kubectl")
    .option("--context <name>", "context of the kubeconfig; else its current one")
    .addOption(
      new Option("-o, --output <format>", "text for people, one JSON object a line, or JUnit XML at the end")
        .choices(["text", "json", "junit"])
        .default("text"),
    )
    .addHelpText("after", WAIT_HELP)
    .action(async (jobs: string[], { timeout, giveUpWhenStuck, filename: files = [], ...options }) => {
      const { wait } = await import("./wait.ts");
      exit(await wait({ ...options, jobs, files, timeoutMs: timeout, stuckLimitMs: giveUpWhenStuck }, console));
    });

  const lintCommand = program
    .command("lint")
    .description("Say what is wrong with Jobs and CronJobs before they run.")
    .argument("[file...]", "manifests, and folders of them; - is standard input")
    .option("-R, --recursive", "of a folder, the folders within it too", false)
    .option("--require-jobs", "exit with 2 if there is no Job and no CronJob in the files", false)
    .option("--verbose", "as text: each finding, however many are alike", false)
    .addOption(
      new Option("-o, --output <format>", "text for people, one JSON object a line, or what CI servers and forges read")
        .choices(["text", "json", "sarif", "junit", "github"])
        .default("text"),
    )
    .addHelpText("after", LINT_HELP)
    .action(async (files: string[], { recursive, output, requireJobs, verbose, ...given }) => {
      const { lint } = await import("./lint.ts");
      exit(await lint({ files, recursive, output, requireJobs, verbose, ...settingsOf(given), version }, console));
    });
  addSettings(lintCommand, LINT_SETTINGS, "rule: [NoDeadline=off]");

  program
    .command("doctor")
    .description("Say what is wrong with the Jobs of a cluster, and which commands mend it.")
    .option("-n, --namespace <namespace>", "look at this namespace alone; else at all")
    .option("--kubeconfig <file>", "credentials; else $KUBECONFIG, else ./stint.kubeconfig, else as kubectl")
    .option("--context <name>", "context of the kubeconfig; else its current one")
    .addOption(
      new Option("--older-than <duration>", "tell what has lasted for so long: 5m, 1h")
        .argParser(asDuration)
        .default(parseDuration("5m"), "5m"),
    )
    .option("--try-patches", "ask the server, as a dry run, whether finalizers may be removed", false)
    .addOption(outputOption("text for people, or all as one JSON object"))
    .addHelpText("after", DOCTOR_HELP)
    .action(async ({ olderThan, ...options }) => {
      const { doctor } = await import("./doctor.ts");
      exit(await doctor({ ...options, olderThanMs: olderThan }, console));
    });

  program
    .command("upgrade-check")
    .description("Say which Jobs behave differently on a later version of Kubernetes, and why.")
    .argument("[file...]", "manifests, and folders of them; - is standard input; none: a cluster")
    .option("--from <version>", "the present version of Kubernetes; else that of the cluster")
    .option("--to <version>", "the later one", "1.36")
    .option("-R, --recursive", "of a folder, the folders within it too", false)
    .option("--require-jobs", "exit with 2 if there is no Job and no CronJob in the files", false)
    .option("--verbose", "as text: each finding, however many are alike", false)
    .option("-n, --namespace <namespace>", "of the cluster's Jobs; else all")
    .option("--kubeconfig <file>", "credentials; else $KUBECONFIG, else ./stint.kubeconfig, else as kubectl")
    .option("--context <name>", "context of the kubeconfig; else its current one")
    .addOption(
      new Option("-o, --output <format>", "text for people, one JSON object a line, or annotations for GitHub")
        .choices(["text", "json", "github"])
        .default("text"),
    )
    .addHelpText("after", UPGRADE_CHECK_HELP)
    .action(async (files: string[], options) => {
      const { upgradeCheck } = await import("./upgrade-check.ts");
      exit(await upgradeCheck({ ...options, files }, console));
    });

  program
    .command("forecast")
    .description("Say what a Job will do before it runs: pods, retries, its end.")
    .argument("<file...>", "manifests, or - for standard input")
    .option("--pod-duration <duration>", "how long a pod takes: 10m, or 5m..20m", asDurationRange)
    .option("--disruptions <number>", "how many pods are evicted, or end by what a rule ignores", asCount)
    .option("--outcome <json>", "run it, simulated: what its pods do, or: annotation")
    .option("--seed <number>", "draws what the outcome leaves to chance", asCount, 1)
    .option("--playground <url>", "with --outcome: also a link to the same run in this playground")
    .addOption(outputOption("text for people, or one JSON object a Job"))
    .addHelpText("after", FORECAST_HELP)
    .action(async (files: string[], options) => {
      const { forecast } = await import("./forecast.ts");
      exit(await forecast({ ...options, files, version }, console));
    });
  return program;
}

/**
 * Call this before the code of a long-lived process is loaded. Its garbage dies young. V8 enlarges the space for young
 * objects when the process is busy, and never shrinks it; that space would be most of the memory of the process.
 */
function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/**
 * Call this before WebAssembly is compiled. V8 would compile functions that are busy a second time and optimise them.
 * Undici's parser of HTTP is one large function: that takes 25 MB for a moment, and 13 MB of it stay. A controller of a
 * Job of 4,000 pods takes as much processor time either way.
 */
function compileWebAssemblyOnce(): void {
  setFlagsFromString("--no-wasm-tier-up");
  setFlagsFromString("--no-wasm-dynamic-tiering");
}

/** The flags of a settings table as commander returns them: a flag without a value is true. */
type GivenSettings = Readonly<Record<string, string | true>> & { readonly config?: string };

/** Values stay text here. They are checked together with those of the environment and the file. */
function settingsOf({ config, ...flags }: GivenSettings): {
  readonly config: string | undefined;
  readonly flags: Readonly<Record<string, string>>;
} {
  return { config, flags: Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, String(value)])) };
}

/** That a switch is off unless it is given needs no words. */
function descriptionOf(option: Option): string {
  return HELP.optionDescription(option).replace(/ ?\(default: false\)$/, "");
}

/** Adds a flag for each setting, and one for the settings file. @param example a line of that file */
function addSettings(command: Command, table: SettingsTable, example: string): void {
  command.option(
    "--config <file>",
    `settings as YAML, by the names below without dashes: ${example}; else $STINT_CONFIG`,
  );
  for (const [name, setting] of Object.entries(table)) command.addOption(settingOption(name, setting));
}

function settingOption(name: string, setting: Setting): Option {
  const { kind, help, group } = setting;
  const initial = defaultOf(setting);
  const value = kind.placeholder === "boolean" ? "[boolean]" : `<${kind.placeholder}>`;
  const flags = `${flagOf(name)} ${value}`;
  const description = initial === "" ? help : `${help} (default: ${initial})`;
  const option = kind.isList ? new ListOption(flags, description, listText) : new Option(flags, description);
  return option.helpGroup(group);
}

function volumeFolderOption(): Option {
  return new Option(
    "--volume-folder <folder>",
    "process, docker, podman: where the volumes of claims are made, and stay; else in a temporary folder, which is removed",
  );
}

function outputOption(description: string): Option {
  return new Option("-o, --output <format>", description).choices(["text", "json"]).default("text");
}

function failure(error: Error, console: Console): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_BAD_INPUT;
  const { text, exitStatus } = errorText(error);
  console.writeError(text);
  return exitStatus;
}

function asDuration(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError(`Allowed is ${(error as Error).message}`);
  }
}

/** `10m`, or `5m..20m`. */
function asDurationRange(text: string): DurationRange {
  const [least = "", most = least, ...rest] = text.split("..");
  const range = { leastMs: asDuration(least), mostMs: asDuration(most) };
  if (rest.length > 0 || range.leastMs > range.mostMs)
    throw new InvalidArgumentError("Allowed is a duration, or two with .. between, the shorter one first: 5m..20m");
  return range;
}

function asCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Allowed is a whole number from 0 to 999999999.");
  return Number(text);
}

function asFeatureGates(texts: readonly string[]): FeatureGates {
  try {
    return parseFeatureGates(listText(texts), DEFAULT_FEATURE_GATES);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function asMaxWatches(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MAX_WATCHES)
    throw new InvalidArgumentError(`Allowed are whole numbers from 1 to ${MAX_WATCHES}`);
  return count;
}

function asNodes(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) > MAX_NODES)
    throw new InvalidArgumentError(`Allowed are whole numbers from 0 to ${MAX_NODES}`);
  return Number(text);
}

function asPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > MAX_PORT)
    throw new InvalidArgumentError(`Allowed are whole numbers from 0 to ${MAX_PORT}`);
  return port;
}
