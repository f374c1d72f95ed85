/**
 * What deploy/ makes, on a real API server: it is taken, kustomization and chart make the same, and the controller
 * works with exactly the rights that it is given: none is missing, and none is too much.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiClient } from "./api-client.ts";
import { findKubectl, findOrBuild, whyUnavailable } from "./binaries/binaries.ts";
import { hasCondition, isOver } from "./conditions.ts";
import { type AuditedRequest, type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type Pod, scriptPods } from "./scripted-pods.ts";
import { startStintController, type StintController } from "./stint-controller.ts";

const deploy = resolve(import.meta.dirname, "../../deploy");
const SYSTEM = "stint-system";
const NAME = "stint-job-controller";
const USER = `system:serviceaccount:${SYSTEM}:${NAME}`;
/** Of the shadow, in deploy/controller/overlays/shadow. */
const SHADOW = "stint-job-controller-shadow";
const SHADOW_NAMESPACE = "stint-shadow";
const JOBS = "/apis/batch/v1/namespaces/team/jobs";
const PODS = "/api/v1/namespaces/team/pods";
const EVENTS = "/api/v1/namespaces/team/events";
const POD_GROUPS = "/apis/scheduling.k8s.io/v1beta1/namespaces/team/podgroups";
const GANG = { schedulingPolicy: { gang: {} } };
/** No earlier version has this API. */
const GANGS_SINCE = "1.37";

const kubectl = findKubectl();
const missing = whyUnavailable() ?? (kubectl === undefined ? "there is no kubectl in $PATH" : undefined);
if (missing !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${missing}`);

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Container {
  readonly resources?: unknown;
  readonly args: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
  }[];
  readonly livenessProbe?: { readonly httpGet: { readonly path: string } };
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } };
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly Rule[];
  readonly spec?: {
    readonly selector?: { readonly matchLabels: object };
    readonly template: { readonly metadata: object; readonly spec: { readonly containers: readonly Container[] } };
  };
  readonly status?: unknown;
}

interface Job {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
  readonly status?: {
    readonly succeeded?: number;
    readonly failed?: number;
    readonly active?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

let controlPlane: ControlPlane;
let admin: ApiClient;
let helm: string;

function run(
  command: string,
  args: readonly string[],
  input?: string,
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  return spawnSync(command, args, {
    encoding: "utf8",
    input,
    env: { PATH: process.env["PATH"], HOME: controlPlane.processes.directory },
  });
}

function succeed(command: string, args: readonly string[], input?: string): string {
  const { status, stdout, stderr } = run(command, args, input);
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: status ${status}\n${stderr}`);
  return stdout;
}

/** YAML. */
const kustomize = (overlay: string): string => succeed(kubectl!, ["kustomize", join(deploy, "controller", overlay)]);
const chartArguments = (values: object, namespace: string, release = NAME): string[] => [
  "template",
  release,
  join(deploy, "chart"),
  `--namespace=${namespace}`,
  ...Object.entries(values).map(([name, value]) => `--set-json=${name}=${JSON.stringify(value)}`),
];
/** YAML. `values` by their paths: `settings.listen`. */
const chart = (values: object, namespace = SYSTEM, release = NAME): string =>
  succeed(helm, chartArguments(values, namespace, release));

/** As the API server makes them of a manifest, its defaults included. */
function apply(yaml: string, { dryRun }: { readonly dryRun: boolean }): Manifest[] {
  const args = [
    "--kubeconfig",
    controlPlane.kubeconfig(),
    "apply",
    "-o",
    "json",
    ...(dryRun ? ["--dry-run=server"] : []),
    "-f",
    "-",
  ];
  return (JSON.parse(succeed(kubectl!, args, yaml)) as { items: Manifest[] }).items;
}

function find(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind);
  if (found === undefined)
    throw new Error(`there is no ${kind} among ${manifests.map((manifest) => manifest.kind).join(", ")}`);
  return found;
}

/** What two ways of making the same must agree in, by kind and name. */
function essence(manifests: readonly Manifest[]): Record<string, unknown> {
  return Object.fromEntries(
    manifests
      .filter(({ kind }) => kind !== "Namespace")
      .map(({ status: _status, metadata, ...manifest }) => {
        const {
          "helm.sh/chart": _chart,
          "app.kubernetes.io/managed-by": _manager,
          "app.kubernetes.io/version": _version,
          ...labels
        } = metadata.labels ?? {};
        return [`${manifest.kind} ${metadata.namespace ?? ""}/${metadata.name}`, { ...manifest, labels }];
      }),
  );
}

const namespace = (name: string): object => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

beforeAll(async () => {
  controlPlane = await startControlPlane({
    audit: "requests",
    users: [{ name: "without-finalizers" }],
    // On in some distributions, and asks for one right more.
    admissionPlugins: ["OwnerReferencesPermissionEnforcement"],
    binaries: { kubernetes: GANGS_SINCE },
    featureGates: { GenericWorkload: true, WorkloadWithJob: true },
    runtimeConfig: { "scheduling.k8s.io/v1beta1": true },
  });
  admin = controlPlane.client();
  helm = await findOrBuild("helm");
  await admin.succeed("POST", "/api/v1/namespaces", namespace("team"));
});
afterAll(async () => {
  admin?.close();
  await controlPlane?.stop();
});

// Of a namespace that is not there, not even a dry run takes objects.
beforeAll(() => {
  for (const folder of ["base", "overlays/shadow"])
    succeed(kubectl!, [
      "--kubeconfig",
      controlPlane.kubeconfig(),
      "apply",
      "-f",
      join(deploy, "controller", folder, "namespace.yaml"),
    ]);
});

let endScript: () => Promise<void>;
beforeAll(() => {
  endScript = scriptPods(controlPlane, "team");
});
afterAll(() => endScript?.());

describe.skipIf(missing !== undefined)("the manifests of deploy/", () => {
  it.each([
    ["base", {}, SYSTEM],
    [
      "overlays/default-controller",
      { "settings.defaultController": true, priorityClassName: "system-cluster-critical" },
      SYSTEM,
    ],
  ])("of %s are taken by the server, and those of the chart are the same", (overlay, values, inNamespace) => {
    const [one, other] = [kustomize(overlay), chart(values, inNamespace)].map((yaml) =>
      essence(apply(yaml, { dryRun: true })),
    );
    expect(Object.keys(one!)).toHaveLength(9);
    expect(other).toEqual(one);
  });

  it("of one namespace are taken by the server, and those of the chart are the same", () => {
    const yaml = kustomize("overlays/single-namespace");
    const set = find(apply(yaml, { dryRun: true }), "StatefulSet");
    const { env, resources } = set.spec!.template.spec.containers[0]!;
    expect(env?.map(({ name }) => name)).toEqual(["NAMESPACE", "NODE_OPTIONS", "MALLOC_ARENA_MAX"]);
    const values = {
      "settings.leaderElect": false,
      "settings.listen": "off",
      "settings.namespaces": ["default"],
      resources,
      env,
    };
    expect(essence(apply(chart(values, "default"), { dryRun: true }))).toEqual(
      essence(apply(yaml.replaceAll("$(NAMESPACE)", "default"), { dryRun: true })),
    );
  });

  it("of a shadow are taken by the server, and those of the chart are the same", () => {
    const one = essence(apply(kustomize("overlays/shadow"), { dryRun: true }));
    expect(Object.keys(one)).toHaveLength(6);
    const values = { "settings.shadow": true };
    expect(essence(apply(chart(values, SHADOW_NAMESPACE, SHADOW), { dryRun: true }))).toEqual(one);
  });

  it("make pods that the namespace takes: restricted in all that Pod Security asks for", async () => {
    const { metadata, spec } = find(apply(kustomize("base"), { dryRun: true }), "Deployment").spec!.template;
    const create = (podSpec: object): Promise<{ status: number }> =>
      admin.request("POST", `/api/v1/namespaces/${SYSTEM}/pods?dryRun=All`, {
        metadata: { ...metadata, name: "one" },
        spec: podSpec,
      });
    expect(await create(spec)).toMatchObject({ status: 201 });
    expect(await create({ ...spec, securityContext: {} })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('violates PodSecurity "restricted:latest"') },
    });
  });
});

describe.skipIf(missing !== undefined)("the manifests of the chart", () => {
  it("give the right to nothing but the settings' own names, and each namespace that is named", () => {
    const manifests = apply(
      chart({
        "settings.namespaces": ["default", "team"],
        "settings.leaseName": "other",
        "settings.maxPodsPerSync": 1_000_000,
        "settings.kubeApiQps": 1.5,
      }),
      { dryRun: true },
    );
    expect(
      manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`).filter((line) => /Role /.test(line)),
    ).toEqual([`Role ${SYSTEM}`, "Role default", "Role team"]);
    expect(
      find(
        manifests.filter(({ metadata }) => metadata.namespace === SYSTEM),
        "Role",
      ).rules![1],
    ).toMatchObject({ resources: ["leases"], resourceNames: ["other"] });
    expect(find(manifests, "Deployment").spec!.template.spec.containers[0]!.args).toEqual([
      "controller",
      "--kube-api-qps=1.5",
      "--lease-name=other",
      "--listen=0.0.0.0:8080",
      "--max-pods-per-sync=1000000",
      "--namespaces=default,team",
    ]);
  });

  it("take an empty list of namespaces as none, which is no value of a flag", () => {
    expect(chart({ "settings.namespaces": [] })).toBe(chart({}));
  });

  it("have a volume for the flight recorder, if there is one", () => {
    const podSpec = (values: object): any =>
      find(apply(chart(values), { dryRun: true }), "Deployment").spec!.template.spec;
    const recorded = podSpec({ "settings.record": "/recordings/flight" });
    expect(recorded.volumes).toEqual([{ name: "recordings", emptyDir: {} }]);
    expect(recorded.containers[0].volumeMounts).toEqual([{ name: "recordings", mountPath: "/recordings" }]);
    expect(recorded.containers[0].args).toContain("--record=/recordings/flight");
    expect(podSpec({}).volumes).toBeUndefined();
  });

  it.each([
    [{ replcas: 1 }, "additional properties 'replcas' not allowed"],
    [{ "settings.leaseDuraton": "5s" }, "additional properties 'leaseDuraton' not allowed"],
    [{ "settings.leaseDuration": 5 }, "at '/settings/leaseDuration': got number, want string"],
    [{ "settings.kubeconfig": "/etc/x" }, "additional properties 'kubeconfig' not allowed"],
    [
      { "settings.listen": "127.0.0.1:8080" },
      "which the kubelet's probes cannot reach; allowed is an address of the pod such as 0.0.0.0:8080, or off",
    ],
    [
      { "settings.leaderElect": false, replicas: 2 },
      "replicas is 2 and settings.leaderElect is false; allowed without an election is 1",
    ],
  ])("are refused for %j, with what is wrong", (values, sentence) => {
    expect(run(helm, chartArguments(values, SYSTEM))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(sentence),
    });
  });

  it.each([
    [{}, "managedBy: stint.dev/job-controller", `-n ${SYSTEM} get lease ${NAME} -o`],
    [
      { "settings.managedBy": "example.com/jobs", "settings.leaderElect": false },
      "managedBy: example.com/jobs",
      `logs statefulset/${NAME}`,
    ],
    [{ "settings.shard": "1/4" }, "managedBy: stint.dev/job-controller", `get lease ${NAME}-shard-1-of-4 -o`],
    [
      { "settings.defaultController": true, "settings.listen": "off" },
      "--controllers=*,-job-controller",
      `logs deployment/${NAME}`,
    ],
  ])("with %j come with notes on what to do next", (values, ...sentences) => {
    const [, ...args] = chartArguments(values, SYSTEM);
    const notes = succeed(helm, ["install", "--dry-run=client", ...args]).split("NOTES:")[1]!;
    for (const sentence of sentences) expect(notes).toContain(sentence);
    expect(notes.includes("/debug/jobs/")).toBe(!notes.includes("*,-job-controller"));
  });

  it("pass Helm's own linter", () => {
    expect(run(helm, ["lint", "--strict", join(deploy, "chart")])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("0 chart(s) failed"),
    });
  });
});

describe.skipIf(missing !== undefined)("the rights that deploy/ gives to controllers", () => {
  it("are what the controller of the Jobs that ask for it needs", async () => {
    const { rules, container } = await install(kustomize("base"), USER);
    const began = controlPlane.audited().length;
    const first = await start(container);
    for (const probe of [container.livenessProbe, container.readinessProbe])
      await expect
        .poll(async () => (await fetch(`${first.url}${probe!.httpGet.path}`)).status, { timeout: 30_000 })
        .toBe(200);
    const managed = { managedBy: "stint.dev/job-controller" };
    await createJob("retries", "fail-once", managed);
    await ends("retries", { succeeded: 3, failed: 1 });
    await suspendAndResume("suspended", managed);
    await adopt("adopts", managed);
    await removeWithPods("removed", managed);
    await expectNothingRefused(first);
    await first.stop();

    // From servers that cannot stream lists.
    const second = await start(container, { flags: ["--streaming-lists=false"] });
    await createJob("listed", "succeed", managed);
    await ends("listed", { succeeded: 3 });
    await expectNothingRefused(second);
    await second.stop();
    expect(judge(rules, began, USER)).toEqual(EXACT);

    expect(judge([...rules, { apiGroups: [""], resources: ["secrets"], verbs: ["get"] }], began, USER)).toEqual({
      ...EXACT,
      neverUsed: ["get secrets"],
    });
    expect(
      judge(
        rules.filter(({ resources }) => !resources.includes("jobs/status")),
        began,
        USER,
      ),
    ).toEqual({ ...EXACT, notGranted: ["patch jobs/status"] });
  });

  it("are what the controller in place of the built-in one needs, which also removes Jobs when their time is over", async () => {
    const { rules, container } = await install(kustomize("overlays/default-controller"), USER);
    const began = controlPlane.audited().length;
    const first = await start(container);
    await createJob("default-retries", "fail-once");
    await ends("default-retries", { succeeded: 3, failed: 1 });
    await suspendAndResume("default-suspended");
    await adopt("default-adopts");
    await removeWithPods("default-removed");
    await createJob("default-short-lived", "succeed", { ttlSecondsAfterFinished: 0 });
    await isDeleted("default-short-lived");
    await expectNothingRefused(first);
    await first.stop();

    const second = await start(container, { flags: ["--streaming-lists=false"] });
    await expectNothingRefused(second);
    await second.stop();
    expect(judge(rules, began, USER)).toEqual(EXACT);
  });

  it("are what the controller of one namespace needs", async () => {
    const folder = controlPlane.processes.path("one-namespace");
    mkdirSync(folder);
    writeFileSync(
      join(folder, "kustomization.yaml"),
      JSON.stringify({
        namespace: "team",
        resources: [relative(folder, join(deploy, "controller/overlays/single-namespace"))],
      }),
    );
    const user = `system:serviceaccount:team:${NAME}`;
    const { rules, container } = await install(succeed(kubectl!, ["kustomize", folder]), user);
    const began = controlPlane.audited().length;
    const managed = { managedBy: "stint.dev/job-controller" };
    const first = await start(container, { inNamespace: "team" });
    await createJob("one-retries", "fail-once", managed);
    await ends("one-retries", { succeeded: 3, failed: 1 });
    await suspendAndResume("one-suspended", managed);
    await adopt("one-adopts", managed);
    await removeWithPods("one-removed", managed);
    await expectNothingRefused(first);
    await first.stop();

    const second = await start(container, { inNamespace: "team", flags: ["--streaming-lists=false"] });
    await createJob("one-listed", "succeed", managed);
    await ends("one-listed", { succeeded: 3 });
    await second.stop();
    expect(judge(rules, began, user)).toEqual(EXACT);
  });

  it("are what the chart gives for one namespace with gangs, without an election", async () => {
    const values = {
      fullnameOverride: "gangs",
      "settings.leaderElect": false,
      "settings.listen": "off",
      "settings.namespaces": ["team"],
      "settings.featureGates": "WorkloadWithJob=true",
      "settings.managedBy": "example.com/gangs",
    };
    const user = `system:serviceaccount:${SYSTEM}:gangs`;
    const { rules, container } = await install(chart(values), user);
    const began = controlPlane.audited().length;
    const managed = { managedBy: "example.com/gangs" };
    const first = await start(container, { serviceAccount: "gangs" });
    await createJob("gang", "fail-once", { ...managed, completionMode: "Indexed", completions: 3, parallelism: 3 });
    await ends("gang", { succeeded: 3, failed: 1 });
    expect((await admin.succeed<{ items: unknown[] }>("GET", POD_GROUPS)).items).toHaveLength(1);
    await createJob("gang-grows", "succeed", { ...managed, suspend: true, scheduling: GANG });
    await admin.waitFor(POD_GROUPS, isGangOf(2, "gang-grows"));
    await admin.succeed("PATCH", `${JOBS}/gang-grows`, { spec: { parallelism: 3 } });
    await admin.waitFor(POD_GROUPS, isGangOf(3, "gang-grows"));
    await admin.succeed("PATCH", `${JOBS}/gang-grows`, { spec: { suspend: false } });
    await ends("gang-grows", { succeeded: 3 });
    await suspendAndResume("gang-suspended", managed);
    await adopt("gang-adopts", managed);
    await removeWithPods("gang-removed", managed);
    await expectNothingRefused(first);
    await first.stop();

    const second = await start(container, { serviceAccount: "gangs", flags: ["--streaming-lists=false"] });
    await createJob("gang-listed", "succeed", managed);
    await ends("gang-listed", { succeeded: 3 });
    await second.stop();
    expect(judge(rules, began, user, ["get workloads", "get podgroups"])).toEqual(EXACT);
  });
});

describe.skipIf(missing !== undefined)("the rights that deploy/ gives", () => {
  it("are what a shadow needs: it reads, and nothing else", async () => {
    const user = `system:serviceaccount:${SHADOW_NAMESPACE}:${SHADOW}`;
    const { rules, container } = await install(kustomize("overlays/shadow"), user);
    expect(new Set(rules.flatMap(({ verbs }) => verbs))).toEqual(new Set(["list", "watch"]));
    const began = controlPlane.audited().length;
    const account = { serviceAccount: SHADOW, inNamespace: SHADOW_NAMESPACE };
    const shadow = await start(container, { ...account, flags: ["--shadow-window=200ms"] });
    // No controller runs it here, which the shadow reports.
    await createJob("shadowed", "succeed");
    const path = `${shadow.url}/debug/shadow/team/shadowed`;
    await expect
      .poll(async () => (await fetch(path)).json(), { timeout: 30_000 })
      .toMatchObject({ found: true, divergences: [{ kind: "creation" }] });
    await expectNothingRefused(shadow);
    await shadow.stop();
    expect(judge(rules, began, user)).toEqual(EXACT);
  });

  it("to finalizers of Jobs, which no request asks for, are needed for pods that block the deletion of their Job", async () => {
    const { rules } = find(apply(kustomize("base"), { dryRun: true }), "ClusterRole");
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "without-finalizers" } };
    await admin.succeed("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", {
      ...role,
      rules: rules!.filter(({ resources }) => !resources.includes("jobs/finalizers")),
    });
    await admin.succeed("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      ...role,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "without-finalizers" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "without-finalizers" }],
    });
    await untilAllowed("without-finalizers", [{ group: "", resource: "pods", verb: "create" }]);
    const owner = {
      apiVersion: "batch/v1",
      kind: "Job",
      name: "retries",
      uid: (await job("retries")).metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    };
    const pod = {
      metadata: { name: "owned", ownerReferences: [owner] },
      spec: { containers: [{ name: "main", image: "example.com/nothing" }] },
    };
    const refused = await controlPlane.client("without-finalizers").request("POST", `${PODS}?dryRun=All`, pod);
    expect(refused).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining("cannot set blockOwnerDeletion") },
    });
  });
});

/**
 * Asked for without a request that an audit log would show, or in cases that cannot be brought about from outside; by
 * `verb resource`.
 */
const NEEDED_ALL_THE_SAME: Readonly<Record<string, string>> = {
  "update jobs/finalizers": "the admission plugin OwnerReferencesPermissionEnforcement asks for it: a test of its own",
  "get workloads":
    "read when the answer to its creation says that it exists already: test/vectors/engine/gang-scheduling.json",
  "get podgroups": "as workloads",
};

const EXACT = { neverUsed: [], notGranted: [], refused: [] };

interface Access {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}

/**
 * Applies for real, without a Lease of an earlier controller, and waits until the server grants it.
 * @returns what it grants to `user`, and the container.
 */
async function install(
  yaml: string,
  user: string,
): Promise<{ readonly rules: readonly Rule[]; readonly container: Container }> {
  const manifests = apply(yaml, { dryRun: false });
  await admin.succeed("DELETE", `/apis/coordination.k8s.io/v1/namespaces/${SYSTEM}/leases`);
  for (const { kind, metadata, rules } of manifests) {
    if (kind === "ClusterRole" || kind === "Role")
      await untilAllowed(
        user,
        rules!.flatMap(accessesOf),
        metadata.namespace ?? SYSTEM,
        rules!.find(({ resourceNames }) => resourceNames !== undefined)?.resourceNames?.[0],
      );
  }
  const workload = manifests.find(({ kind }) => kind === "Deployment" || kind === "StatefulSet")!;
  return {
    rules: manifests.flatMap(({ rules }) => rules ?? []),
    container: workload.spec!.template.spec.containers[0]!,
  };
}

function accessesOf({ apiGroups, resources, verbs }: Rule): Access[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))),
  );
}

/**
 * The server's own watch of the roles takes a moment, and a controller that is refused meanwhile would count against
 * it.
 */
async function untilAllowed(
  user: string,
  accesses: readonly Access[],
  namespace = SYSTEM,
  name?: string,
): Promise<void> {
  for (const { group, resource: path, verb } of accesses) {
    const [resource, subresource] = path.split("/");
    const resourceAttributes = {
      namespace,
      group,
      resource,
      verb,
      ...(subresource === undefined ? {} : { subresource }),
      ...(name === undefined ? {} : { name }),
    };
    const isAllowed = async (): Promise<boolean> =>
      (
        await admin.succeed<{ status: { allowed: boolean } }>(
          "POST",
          "/apis/authorization.k8s.io/v1/subjectaccessreviews",
          { spec: { user, resourceAttributes } },
        )
      ).status.allowed;
    await expect.poll(isAllowed, { timeout: 30_000 }).toBe(true);
  }
}

/**
 * As the container would be started, but on a separate port, and without the time that users wait for a pod after one
 * that failed. Ready when it has listed everything.
 */
async function start(
  { args }: Container,
  {
    serviceAccount = NAME,
    inNamespace = SYSTEM,
    flags = [],
  }: { readonly serviceAccount?: string; readonly inNamespace?: string; readonly flags?: readonly string[] } = {},
): Promise<StintController> {
  const given = args
    .slice(1)
    .filter((arg) => !arg.startsWith("--listen="))
    .map((arg) => arg.replace("$(NAMESPACE)", inNamespace));
  const controller = await startStintController(controlPlane, {
    kubeconfig: await kubeconfig(serviceAccount, inNamespace),
    flags: [...given, "--pod-backoff-base=50ms", ...flags],
    isReadOnly: true,
  });
  await expect
    .poll(
      async () =>
        (await fetch(`${controller.url}/readyz`)).ok &&
        /"msg":"(leads|acts without an election|the shadow of the built-in Job controller starts.*)"/.test(
          controller.log(),
        ),
      { timeout: 60_000 },
    )
    .toBe(true);
  return controller;
}

/** Of a service account, as a pod would have its token. */
async function kubeconfig(serviceAccount: string, inNamespace: string): Promise<string> {
  const { status } = await admin.succeed<{ status: { token: string } }>(
    "POST",
    `/api/v1/namespaces/${inNamespace}/serviceaccounts/${serviceAccount}/token`,
    { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  );
  return controlPlane.kubeconfigOf(serviceAccount, status.token, inNamespace);
}

function job(name: string): Promise<Job> {
  return admin.succeed<Job>("GET", `${JOBS}/${name}`);
}

/** Of three pods, two at a time; see scripted-pods.ts for `outcome`. */
async function createJob(name: string, outcome: string, spec: object = {}): Promise<Job> {
  const template = {
    metadata: { labels: { outcome } },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.com/nothing" }] },
  };
  return admin.succeed<Job>("POST", JOBS, {
    metadata: { name },
    spec: { completions: 3, parallelism: 2, template, ...spec },
  });
}

interface PodGroup {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly schedulingPolicy: { readonly gang?: { readonly minCount: number } } };
}

const isGangOf =
  (size: number, job: string) =>
  ({ metadata, spec }: PodGroup): boolean =>
    metadata.name.startsWith(`${job}-`) && spec.schedulingPolicy.gang?.minCount === size;

function waitForJob(name: string, holds: (job: Job, deleted: boolean) => boolean): Promise<Job> {
  return admin.waitFor<Job>(`${JOBS}?fieldSelector=metadata.name%3D${name}`, holds);
}

async function ends(name: string, status: object): Promise<void> {
  const ended = await waitForJob(name, isOver);
  expect(ended.status).toMatchObject(status);
  expect(ended.status!.conditions!.map(({ type }) => type)).toContain("Complete");
}

/** Deleted in the foreground: its pods, and then the Job itself, go by the garbage collector, which is not there. */
async function isDeleted(name: string): Promise<void> {
  const { metadata } = await waitForJob(name, (current) => current.metadata.deletionTimestamp !== undefined);
  expect(metadata.finalizers).toEqual(["foregroundDeletion"]);
}

const podsOf = async (name: string): Promise<readonly Pod[]> =>
  (
    await admin.succeed<{ items: readonly Pod[] }>(
      "GET",
      `${PODS}?labelSelector=batch.kubernetes.io%2Fjob-name%3D${name}`,
    )
  ).items;

/** Twice, so that events are said again; runs to its end after that. */
async function suspendAndResume(name: string, spec: object = {}): Promise<void> {
  await createJob(name, "run", spec);
  for (const _time of [1, 2]) {
    await waitForJob(name, ({ status }) => status?.active === 2);
    await admin.succeed("PATCH", `${JOBS}/${name}`, { spec: { suspend: true } });
    await waitForJob(name, (job) => hasCondition(job, "Suspended") && (job.status?.active ?? 0) === 0);
    await admin.succeed("PATCH", `${JOBS}/${name}`, { spec: { suspend: false } });
  }
  await waitForJob(name, ({ status }) => status?.active === 2);
  // Events are written after everything else; a controller that is stopped before has not used its rights to them.
  const suspensions = `${EVENTS}?fieldSelector=involvedObject.name%3D${name}%2Creason%3DSuspended`;
  await admin.waitFor<{ readonly count?: number }>(suspensions, ({ count }) => count === 2);
}

/** A pod without a controller, with the labels of the Job's own: it becomes one of them. */
async function adopt(name: string, spec: object = {}): Promise<void> {
  const { metadata } = await createJob(name, "run", spec);
  await waitForJob(name, ({ status }) => status?.active === 2);
  const [model] = await podsOf(name);
  const { labels, finalizers } = model!.metadata;
  const made = await admin.succeed<Pod>("POST", PODS, {
    metadata: { name: `${name}-orphan`, labels, finalizers },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.com/nothing" }] },
  });
  // It is one too many then, and may be gone before a watch of what there is begins.
  const since = `fieldSelector=metadata.name%3D${name}-orphan&resourceVersion=${made.metadata.resourceVersion}`;
  const adopted = await admin.waitFor<Pod>(`${PODS}?${since}`, (pod) => pod.metadata.ownerReferences !== undefined);
  expect(adopted.metadata.ownerReferences).toMatchObject([
    { uid: metadata.uid, controller: true, blockOwnerDeletion: true },
  ]);
}

/** The pods of a Job that is gone, deleted as the garbage collector would: no finalizer holds them. */
async function removeWithPods(name: string, spec: object = {}): Promise<void> {
  await createJob(name, "run", spec);
  await waitForJob(name, ({ status }) => status?.active === 2);
  const pods = await podsOf(name);
  expect(pods.flatMap(({ metadata }) => metadata.finalizers ?? [])).toHaveLength(2);
  await admin.succeed("DELETE", `${JOBS}/${name}?propagationPolicy=Background`);
  await removePods(name);
}

async function removePods(name: string): Promise<void> {
  for (const { metadata } of await podsOf(name)) await admin.request("DELETE", `${PODS}/${metadata.name}`);
  await expect.poll(async () => (await podsOf(name)).length, { timeout: 30_000 }).toBe(0);
}

/** By the controller's own count of answers; what it does with a refusal is no test of rights. */
async function expectNothingRefused({ url, log }: StintController): Promise<void> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/^rest_client_requests_total\{.*code="20\d"/m);
  expect(metrics.split("\n").filter((line) => /^rest_client_requests_total\{.*code="40[13]"/.test(line))).toEqual([]);
  expect(
    log()
      .split("\n")
      .filter((line) => /"level":"(error|fatal)"/.test(line)),
  ).toEqual([]);
}

/**
 * By the server's audit log from `began` on: what was granted and never used, unless it is in the list of what is
 * needed all the same; what was used without having been granted, by another role; and what was refused.
 */
function judge(
  rules: readonly Rule[],
  began: number,
  user: string,
  needed: readonly string[] = [],
): { readonly neverUsed: string[]; readonly notGranted: string[]; readonly refused: string[] } {
  const requests = controlPlane
    .audited()
    .slice(began)
    .filter(
      (request): request is AuditedRequest & Required<Pick<AuditedRequest, "objectRef">> =>
        request.user.username === user && request.objectRef !== undefined,
    );
  const used = new Set(
    requests.map(
      ({ verb, objectRef: { resource, subresource } }) =>
        `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`,
    ),
  );
  const granted = new Set(rules.flatMap(accessesOf).map(({ verb, resource }) => `${verb} ${resource}`));
  const excused = new Set(["update jobs/finalizers", ...needed].filter((right) => right in NEEDED_ALL_THE_SAME));
  return {
    neverUsed: [...granted].filter((right) => !used.has(right) && !excused.has(right)),
    notGranted: [...used].filter((right) => !granted.has(right)),
    refused: requests
      .filter(({ responseStatus: { code } }) => code === 401 || code === 403)
      .map(({ verb, requestURI }) => `${verb} ${requestURI}`),
  };
}
