/**
 * Where the programs come from, with a `go` that only pretends: what is asked of it, what is kept, and what is said
 * when it is not there.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { RELEASED_VERSIONS, RELEASES, SERVED_VERSIONS } from "../../../cluster/values/kubernetes-versions.ts";
import {
  BINARY_NAMES,
  findKubectl,
  findOrBuild,
  findOrBuildKwokStages,
  pinnedVersion,
  whyUnavailable,
} from "./binaries.ts";

let folder: string;
let env: NodeJS.ProcessEnv;
let lines: string[];
const report = (line: string): void => void lines.push(line);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stint-binaries-"));
  lines = [];
  // Only what the test puts there, and a shell's own commands.
  env = { PATH: join(folder, "bin"), XDG_CACHE_HOME: join(folder, "cache") };
  mkdirSync(join(folder, "bin"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(path: string, script: string): string {
  writeFileSync(path, `#!/bin/sh\n${script}`);
  chmodSync(path, 0o755);
  return path;
}

/**
 * A `go` that notes how it was called, builds a file that names its package, and has a module of kwok with its stages.
 */
function pretendGo(
  build = 'eval "package=\\${$#}"; while [ "$1" != -o ]; do shift; done; echo "$package" >"$2"; chmod 755 "$2" 2>/dev/null',
): void {
  program(
    join(folder, "bin", "go"),
    `echo "$@" >>'${folder}/calls'\nPATH=/usr/bin:/bin\nif [ "$1" = list ]; then echo '${folder}/module'; else ${build}; fi\n`,
  );
}

const calls = (): string[] => readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
const kept = (): string[] =>
  readdirSync(join(folder, "cache/stint/kubernetes"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.includes("/"))
    .map((path) => path.split("/").slice(1).join("/"))
    .sort();

it("findOrBuild() builds a program once and keeps it", async () => {
  pretendGo();
  const path = await findOrBuild("kube-apiserver", { env, report });
  expect(readFileSync(path, "utf8")).toBe("k8s.io/kubernetes/cmd/kube-apiserver\n");
  expect(lines).toEqual([
    expect.stringMatching(/^building kube-apiserver v1\.\d+\.\d+, about 4 minutes, once \(kept in /),
    expect.stringMatching(/^built kube-apiserver in \d+ s$/),
  ]);
  expect(calls()).toEqual([
    expect.stringMatching(
      /^build -mod=readonly -trimpath .*gitVersion=v1\.\d+\.\d+ .* k8s\.io\/kubernetes\/cmd\/kube-apiserver$/,
    ),
  ]);
  expect(await findOrBuild("kube-apiserver", { env, report })).toBe(path);
  expect(calls()).toHaveLength(1);
  expect(kept()).toEqual(["kube-apiserver"]);
});

it("the cache keeps the stages that come with kwok", async () => {
  pretendGo();
  for (const part of ["node", "pod"])
    mkdirSync(join(folder, "module/kustomize/stage", part, "fast"), { recursive: true });
  for (const name of [
    "node/fast/node-initialize",
    "pod/fast/pod-ready",
    "pod/fast/pod-complete",
    "pod/fast/pod-delete",
  ])
    writeFileSync(join(folder, "module/kustomize/stage", `${name}.yaml`), `name: ${name}\n`);
  const stages = readFileSync(await findOrBuildKwokStages({ env, report }), "utf8");
  expect(stages).toBe(
    "name: node/fast/node-initialize\n---\nname: pod/fast/pod-ready\n---\nname: pod/fast/pod-complete\n---\nname: pod/fast/pod-delete\n",
  );
  expect(kept()).toEqual(["kwok", "kwok-stages.yaml"]);
});

it("two builds at once do not disturb each other", async () => {
  pretendGo();
  const [one, other] = await Promise.all([findOrBuild("etcd", { env, report }), findOrBuild("etcd", { env, report })]);
  expect(one).toBe(other);
  expect(kept()).toEqual(["etcd"]);
});

it("a build that fails says what Go said, and leaves nothing", async () => {
  pretendGo('echo "no required module provides package" >&2; exit 1');
  await expect(findOrBuild("etcd", { env, report })).rejects.toThrow(
    /^etcd could not be built: `go build` in .*binaries failed:\n[^]*no required module provides package/,
  );
  expect(kept()).toEqual([]);
});

it("the build says without Go what is missing and what to do", async () => {
  const sentence =
    /there is no (etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl, kwok, helm, helm-3, stern, k9s, promtool, job-specs, job-integration|etcd), and no Go in \$PATH to build it with; install Go 1\.\d+(\.\d+)? or newer \(https:\/\/go\.dev\/dl\), or set KUBEBUILDER_ASSETS/;
  expect(whyUnavailable(env)).toMatch(sentence);
  await expect(findOrBuild("etcd", { env, report })).rejects.toThrow(sentence);
  pretendGo();
  expect(whyUnavailable(env)).toBeUndefined();
});

it("the build takes what KUBEBUILDER_ASSETS has, and builds the rest", async () => {
  const assets = join(folder, "assets");
  mkdirSync(assets);
  pretendGo();
  program(join(folder, "bin", "kubectl"), "");
  expect(findKubectl(env)).toBe(join(folder, "bin", "kubectl"));
  for (const name of ["etcd", "kube-apiserver", "kubectl"]) program(join(assets, name), "");
  env = { ...env, KUBEBUILDER_ASSETS: assets };
  expect(await findOrBuild("etcd", { env, report })).toBe(join(assets, "etcd"));
  expect(findKubectl(env)).toBe(join(assets, "kubectl"));
  expect(lines).toEqual([]);
  await findOrBuild("kube-controller-manager", { env, report });
  expect(kept()).toEqual(["kube-controller-manager"]);
  expect(() => whyUnavailable({ ...env, KUBEBUILDER_ASSETS: join(folder, "nowhere") })).toThrow(
    /^KUBEBUILDER_ASSETS is .*nowhere, which does not exist; set it to/,
  );
});

it("the build knows the versions that its modules pin", () => {
  for (const name of BINARY_NAMES) expect(pinnedVersion(name), name).toMatch(/^v\d+\.\d+\.\d+$/);
  expect(pinnedVersion("kube-apiserver")).toBe(pinnedVersion("kube-controller-manager"));
});

it("findOrBuild() builds an earlier API server from a separate module, whatever folder of assets there is", async () => {
  pretendGo();
  const assets = join(folder, "assets");
  mkdirSync(assets);
  for (const name of ["etcd", "kube-apiserver"]) program(join(assets, name), "");
  env = { ...env, KUBEBUILDER_ASSETS: assets };
  const options = { env, report, kubernetes: "1.34" } as const;
  const path = await findOrBuild("kube-apiserver", options);
  expect(dirname(path)).toBe(dirname(await findOrBuild("kube-controller-manager", options)));
  expect(calls()[0]).toMatch(/ -X k8s\.io\/component-base\/version\.gitVersion=v1\.34\.\d+ /);
  expect(lines[0]).toMatch(/^building kube-apiserver v1\.34\.\d+, /);
  expect(kept()).toEqual(["kube-apiserver", "kube-controller-manager"]);
  expect(await findOrBuild("etcd", options)).toBe(join(assets, "etcd"));
  expect(await findOrBuild("kube-apiserver", { env, report })).toBe(join(assets, "kube-apiserver"));
});

it.each(RELEASED_VERSIONS)("the folder has a module for Kubernetes %s", (kubernetes) => {
  for (const name of ["kube-apiserver", "kube-controller-manager"] as const)
    expect(pinnedVersion(name, kubernetes)).toMatch(new RegExp(`^v${kubernetes.replace(".", "\\.")}\\.\\d+$`));
  for (const version of SERVED_VERSIONS) expect(pinnedVersion("kube-apiserver", version)).toBe(RELEASES[version]);
});

it("findOrBuild() builds helm from a separate module", async () => {
  pretendGo();
  const [etcd, helm] = [await findOrBuild("etcd", { env, report }), await findOrBuild("helm", { env, report })];
  expect(readFileSync(helm, "utf8")).toBe("helm.sh/helm/v4/cmd/helm\n");
  expect(dirname(helm)).not.toBe(dirname(etcd));
  expect(calls()[1]).toMatch(
    /^build -mod=readonly -trimpath .*-X helm\.sh\/helm\/v4\/internal\/version\.version=v4\.\d+\.\d+ -o .*\/helm helm\.sh\/helm\/v4\/cmd\/helm$/,
  );
});

it.each([
  ["helm-3", "helm.sh/helm/v3/cmd/helm"],
  ["k9s", "github.com/derailed/k9s"],
  ["stern", "github.com/stern/stern"],
] as const)("findOrBuild() builds %s, a client, from a module that all clients share", async (name, commandPackage) => {
  pretendGo();
  const path = await findOrBuild(name, { env, report });
  expect(readFileSync(path, "utf8")).toBe(`${commandPackage}\n`);
  expect(calls()[0]).toMatch(/ -X helm\.sh\/helm\/v3\/internal\/version\.version=v3\.\d+\.\d+ /);
  await findOrBuild("stern", { env, report });
  expect(kept()).toEqual([...new Set([name, "stern"])].sort());
});

it("findOrBuild() builds promtool from a separate module, without the libraries of the clouds", async () => {
  pretendGo();
  const promtool = await findOrBuild("promtool", { env, report });
  expect(readFileSync(promtool, "utf8")).toBe("github.com/prometheus/prometheus/cmd/promtool\n");
  expect(calls()).toEqual([expect.stringMatching(/^build -mod=readonly -trimpath -tags=remove_all_sd .* -o .*$/)]);
});

it("findOrBuild() builds upstream's specs of Jobs as a test program, which its own file is a part of", async () => {
  pretendGo();
  const jobSpecs = await findOrBuild("job-specs", { env, report });
  expect(readFileSync(jobSpecs, "utf8")).toBe("stint.dev/stint/test/kubernetes/binaries/conformance\n");
  expect(calls()).toEqual([expect.stringMatching(/^test -c -mod=readonly -trimpath .* -o .*\/job-specs stint\.dev\//)]);
});

/** Notes the overlay, and what is in the file of upstream's that it names. */
const BUILD_WITH_OVERLAY = `
for word in "$@"; do case $word in -overlay=*) overlay=\${word#-overlay=} ;; esac; done
cp "$overlay" "$(dirname "$overlay")"/*_test.go "$SEEN"
while [ "$1" != -o ]; do shift; done
echo built >"$2"; chmod 755 "$2"`;

function upstreamTests(text: string): void {
  mkdirSync(join(folder, "module"));
  mkdirSync(join(folder, "seen"));
  env["SEEN"] = join(folder, "seen");
  writeFileSync(join(folder, "module/job_test.go"), text);
  writeFileSync(join(folder, "module/main_test.go"), "package job\n");
  pretendGo(BUILD_WITH_OVERLAY);
}

const STARTS = `package job

func createJobControllerWithSharedInformers(tb testing.TB) {}
func startJobControllerAndWaitForCaches(tb testing.TB) { createJobControllerWithSharedInformers(tb) }
func resetMetrics() {}
func validateCounterMetric() {}
`;

it("findOrBuild() builds upstream's integration tests with functions that have another name", async () => {
  upstreamTests(STARTS);
  const program = await findOrBuild("job-integration", { env, report });
  expect(calls()[0]).toBe("list -mod=readonly -f {{.Dir}} k8s.io/kubernetes/test/integration/job");
  expect(calls()[1]).toMatch(/^test -c -mod=readonly -trimpath .* -overlay=.* -o .*\/job-integration stint\.dev\//);
  const seen = (file: string): string => readFileSync(join(folder, "seen", file), "utf8");
  const { Replace } = JSON.parse(seen("overlay.json")) as { Replace: Record<string, string> };
  expect(Object.keys(Replace)).toEqual(
    ["job_test.go", "main_test.go"].map((file) => join(import.meta.dirname, "integration", file)),
  );
  expect(seen("job_test.go")).toBe(STARTS.replaceAll("\nfunc ", "\nfunc upstreams_"));
  expect(seen("main_test.go")).toBe("package job\n");
  expect(kept()).toEqual(["job-integration"]);
  expect(await findOrBuild("job-integration", { env, report })).toBe(program);
});

it("findOrBuild() refuses upstream's tests that do not have a function which is replaced", async () => {
  upstreamTests(STARTS.replace("resetMetrics", "clearMetrics"));
  await expect(findOrBuild("job-integration", { env, report })).rejects.toThrow(
    /^job-integration could not be built: .*module declares the function resetMetrics 0 times, and .*integration replaces/,
  );
  expect(kept()).toEqual([]);
});
