/**
 * The real programs of Kubernetes that tests run: taken from KUBEBUILDER_ASSETS where that folder has them, else built
 * once from the Go modules beside this file, and kept in `$XDG_CACHE_HOME/stint/kubernetes/HASH/` (`~/.cache` when
 * unset). Helm has a separate module (helm/): it builds on another release of Kubernetes' libraries. The clients of
 * `stint serve` (clients/) build on that release too, so that these libraries are compiled once. promtool (promtool/)
 * tests deploy/monitoring/. kubectl has a module (kubectl/) so that its libraries are no matter of the servers'.
 * conformance/ is a test program: upstream's specs of Jobs. Other versions of the API server and its controllers than
 * the one that Stint behaves as have a module each (kubernetes-1.35/ and so on), and are only built on demand.
 *
 * Invariant: a file in the cache is whole and belongs to exactly its module and platform. A build goes to a
 * folder of its own and is renamed, so two processes may build at once: both do the work, and the later one replaces
 * equal bytes. The kubectl that is installed is only looked for. Leaves out old entries of the cache, which may be
 * deleted at any time.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type KubernetesVersion, SERVED_KUBERNETES } from "../../../cluster/values/kubernetes-versions.ts";
import { TESTED_VERSION } from "../tested-version.ts";

export type BinaryName =
  | "etcd"
  | "helm"
  | "helm-3"
  | "job-integration"
  | "job-specs"
  | "k9s"
  | "kube-apiserver"
  | "kube-controller-manager"
  | "kube-scheduler"
  | "kubectl"
  | "kwok"
  | "promtool"
  | "stern";

interface Source {
  /** The Go package of the command, and the module that go.mod pins. */
  readonly package: string;
  readonly module: string;
  /** With go.mod and go.sum, relative to this file. */
  readonly folder: string;
  /** Folders of assets may have it, and then of a version that fits. */
  readonly isAsset: boolean;
  /** What a first build takes on two cores, for the line that says so. */
  readonly duration: string;
  /** The package is a test, which is in the folder too; its files. */
  readonly testFiles?: readonly string[];
  /** What is in that package beside them. */
  readonly upstreamTests?: UpstreamTests;
}

/** Tests of a package of upstream's, which are built as if they were in the folder. */
interface UpstreamTests {
  readonly package: string;
  readonly files: readonly string[];
  /** Functions of these files that `testFiles` have in their place. */
  readonly replaced: readonly string[];
}

const SOURCES: Readonly<Record<BinaryName, Source>> = {
  etcd: {
    package: "go.etcd.io/etcd/server/v3",
    module: "go.etcd.io/etcd/server/v3",
    folder: ".",
    isAsset: true,
    duration: "about a minute",
  },
  "kube-apiserver": {
    package: "k8s.io/kubernetes/cmd/kube-apiserver",
    module: "k8s.io/kubernetes",
    folder: ".",
    isAsset: true,
    duration: "about 4 minutes",
  },
  "kube-controller-manager": {
    package: "k8s.io/kubernetes/cmd/kube-controller-manager",
    module: "k8s.io/kubernetes",
    folder: ".",
    isAsset: true,
    duration: "about 2 minutes",
  },
  "kube-scheduler": {
    package: "k8s.io/kubernetes/cmd/kube-scheduler",
    module: "k8s.io/kubernetes",
    folder: ".",
    isAsset: true,
    duration: "less than a minute",
  },
  kubectl: {
    package: "k8s.io/kubernetes/cmd/kubectl",
    module: "k8s.io/kubernetes",
    folder: "kubectl",
    isAsset: true,
    duration: "about 2 minutes",
  },
  // It brings its stages, which no folder of assets has.
  kwok: {
    package: "sigs.k8s.io/kwok/cmd/kwok",
    module: "sigs.k8s.io/kwok",
    folder: ".",
    isAsset: false,
    duration: "about a minute",
  },
  helm: {
    package: "helm.sh/helm/v4/cmd/helm",
    module: "helm.sh/helm/v4",
    folder: "helm",
    isAsset: false,
    duration: "about 2 minutes",
  },
  "helm-3": {
    package: "helm.sh/helm/v3/cmd/helm",
    module: "helm.sh/helm/v3",
    folder: "clients",
    isAsset: false,
    duration: "less than a minute",
  },
  stern: {
    package: "github.com/stern/stern",
    module: "github.com/stern/stern",
    folder: "clients",
    isAsset: false,
    duration: "less than a minute",
  },
  k9s: {
    package: "github.com/derailed/k9s",
    module: "github.com/derailed/k9s",
    folder: "clients",
    isAsset: false,
    duration: "about 3 minutes",
  },
  promtool: {
    package: "github.com/prometheus/prometheus/cmd/promtool",
    module: "github.com/prometheus/prometheus",
    folder: "promtool",
    isAsset: false,
    duration: "about 2 minutes",
  },
  "job-specs": {
    package: "stint.dev/stint/test/kubernetes/binaries/conformance",
    module: "k8s.io/kubernetes",
    folder: "conformance",
    isAsset: false,
    duration: "about 2 minutes",
    testFiles: ["jobs_test.go"],
  },
  "job-integration": {
    package: "stint.dev/stint/test/kubernetes/binaries/integration",
    module: "k8s.io/kubernetes",
    folder: "integration",
    isAsset: false,
    duration: "about 4 minutes",
    testFiles: ["stint_test.go"],
    upstreamTests: {
      package: "k8s.io/kubernetes/test/integration/job",
      files: ["job_test.go", "main_test.go"],
      replaced: [
        "createJobControllerWithSharedInformers",
        "resetMetrics",
        "startJobControllerAndWaitForCaches",
        "validateCounterMetric",
      ],
    },
  },
};

export const BINARY_NAMES = Object.keys(SOURCES) as readonly BinaryName[];

/** What the modules of earlier versions build. etcd is the same for all of them. */
const VERSIONED: readonly BinaryName[] = ["kube-apiserver", "kube-controller-manager"];

interface Program extends Source {
  readonly name: BinaryName;
}

/** Stages of kwok for a node that is ready, and pods that run, complete when a Job owns them, and go when deleted. */
const KWOK_STAGES = [
  "node/fast/node-initialize.yaml",
  "pod/fast/pod-ready.yaml",
  "pod/fast/pod-complete.yaml",
  "pod/fast/pod-delete.yaml",
];

/** What a failed build says; its end is where Go names the error. */
const MAX_ERROR_CHARACTERS = 4000;
const MAX_BUILD_OUTPUT_BYTES = 64 * 1024 * 1024;
const run = promisify(execFile);

export interface BinariesOptions {
  /**
   * PATH, HOME, XDG_CACHE_HOME and KUBEBUILDER_ASSETS are read; the build gets all of it. Default: that of this
   * process.
   */
  readonly env?: NodeJS.ProcessEnv;
  /** Takes a line of progress. Default: standard error. */
  readonly report?: (line: string) => void;
  /** Of the API server and its controllers. Default: TESTED_VERSION. Folders of assets have SERVED_KUBERNETES alone. */
  readonly kubernetes?: KubernetesVersion;
}

/**
 * Path of a program, which is built if it is nowhere yet.
 *
 * @throws Error when it would have to be built and there is no Go, or when the build fails; with the end of what Go
 * said
 */
export async function findOrBuild(name: BinaryName, options: BinariesOptions = {}): Promise<string> {
  const { env = process.env } = options;
  const program = programOf(name, options.kubernetes);
  const found = findBinary(program, env);
  if (found !== undefined) return found;
  await build(program, env, options.report ?? console.error);
  return cachedPath(program, env);
}

/**
 * Path of kwok's own stages as one YAML file, see {@link KWOK_STAGES}. They come with the build of kwok.
 * @throws as {@link findOrBuild} does
 */
export async function findOrBuildKwokStages(options: BinariesOptions = {}): Promise<string> {
  await findOrBuild("kwok", options);
  return stagesPath(options.env ?? process.env);
}

/** Why the tests with these programs cannot run here, as a sentence; undefined when they can. */
export function whyUnavailable(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const missing = BINARY_NAMES.filter((name) => findBinary(programOf(name), env) === undefined);
  if (missing.length === 0 || findOnPath("go", env) !== undefined) return undefined;
  return noGo(missing.join(", "));
}

/** kubectl, from KUBEBUILDER_ASSETS or else $PATH; undefined when there is none. It is never built. */
export function findKubectl(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return findInAssets("kubectl", env) ?? findOnPath("kubectl", env);
}

/** The version that go.mod pins for a program, with its `v`. @throws Error when it pins none */
export function pinnedVersion(name: BinaryName, kubernetes?: KubernetesVersion): string {
  return versionOf(programOf(name, kubernetes));
}

function programOf(name: BinaryName, kubernetes: KubernetesVersion = TESTED_VERSION): Program {
  const program = { ...SOURCES[name], name };
  return kubernetes === SERVED_KUBERNETES || !VERSIONED.includes(name)
    ? program
    : { ...program, folder: `kubernetes-${kubernetes}`, isAsset: false };
}

function versionOf(program: Program): string {
  const { module } = program;
  const version = new RegExp(`^(?:require)?\\s+${module.replaceAll(".", "\\.")} (v\\S+)`, "m").exec(
    read(program, "go.mod"),
  )?.[1];
  if (version === undefined) throw new Error(`${join(moduleFolder(program), "go.mod")} requires no module ${module}`);
  return version;
}

function moduleFolder({ folder }: Program): string {
  return join(import.meta.dirname, folder);
}

function read(program: Program, file: string): string {
  return readFileSync(join(moduleFolder(program), file), "utf8");
}

function findBinary(program: Program, env: NodeJS.ProcessEnv): string | undefined {
  const asset = program.isAsset ? findInAssets(program.name, env) : undefined;
  if (asset !== undefined) return asset;
  const cached = cachedPath(program, env);
  return isExecutable(cached) ? cached : undefined;
}

function findInAssets(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folder = env["KUBEBUILDER_ASSETS"];
  if (folder === undefined || folder === "") return undefined;
  if (!existsSync(folder))
    throw new Error(
      `KUBEBUILDER_ASSETS is ${folder}, which does not exist; set it to a folder with kube-apiserver and etcd, or unset it to have them built`,
    );
  const path = join(folder, name);
  return isExecutable(path) ? path : undefined;
}

function findOnPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  return (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function cachedPath(program: Program, env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(program, env), program.name);
}

function stagesPath(env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(programOf("kwok"), env), "kwok-stages.yaml");
}

function cacheFolder(program: Program, env: NodeJS.ProcessEnv): string {
  const base = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache");
  const hash = createHash("sha256");
  const files = ["go.mod", "go.sum", ...(program.testFiles ?? [])].map((file) => read(program, file));
  const replaced = program.upstreamTests?.replaced ?? [];
  for (const part of [...files, process.platform, process.arch, ...buildFlags(program), ...replaced])
    hash.update(`${part.length} ${part}`);
  return join(base, "stint", "kubernetes", hash.digest("hex").slice(0, 16));
}

/** The same for all programs of one module: they share a folder of the cache. */
function buildFlags(program: Program): string[] {
  return ["-mod=readonly", "-trimpath", ...ownFlags(program)];
}

function ownFlags(program: Program): string[] {
  // Without the tag it brings the libraries of all clouds, to find what is to be scraped there.
  if (program.name === "promtool") return ["-tags=remove_all_sd", "-ldflags=-s -w"];
  return [`-ldflags=-s -w ${linkedVersions(program).join(" ")}`];
}

/** What a release build sets, by which a program says its version. */
function linkedVersions(program: Program): string[] {
  switch (program.folder) {
    case "helm":
      return [`-X helm.sh/helm/v4/internal/version.version=${pinnedVersion("helm")}`];
    case "clients":
      return [
        `-X helm.sh/helm/v3/internal/version.version=${pinnedVersion("helm-3")}`,
        `-X github.com/stern/stern/cmd.version=${pinnedVersion("stern").slice(1)}`,
        `-X github.com/derailed/k9s/cmd.version=${pinnedVersion("k9s")}`,
      ];
    default:
      return kubernetesVersion(program);
  }
}

/** Without it the server says that it is v0.0.0-master. */
function kubernetesVersion({ folder }: Program): string[] {
  const version = versionOf({ ...programOf("kube-apiserver"), folder });
  const [major, minor] = version.slice(1).split(".");
  const variables = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
  return Object.entries(variables).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
}

async function build(program: Program, env: NodeJS.ProcessEnv, report: (line: string) => void): Promise<void> {
  const go = findOnPath("go", env);
  const { name, package: commandPackage, module, duration, testFiles, upstreamTests } = program;
  if (go === undefined) throw new Error(noGo(name));
  const folder = cacheFolder(program, env);
  mkdirSync(folder, { recursive: true });
  const temporary = mkdtempSync(join(folder, `building-${name}-`));
  try {
    report(`building ${name} ${versionOf(program)}, ${duration}, once (kept in ${folder})`);
    const began = performance.now();
    const command = [
      ...(testFiles === undefined ? ["build"] : ["test", "-c"]),
      ...buildFlags(program),
      ...(upstreamTests === undefined ? [] : [await overlayFlag(go, env, program, temporary)]),
    ];
    await runGo(go, [...command, "-o", join(temporary, name), commandPackage], env, program);
    if (name === "kwok") {
      const source = (await runGo(go, ["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", module], env, program)).trim();
      writeFileSync(
        join(temporary, "stages.yaml"),
        KWOK_STAGES.map((file) => readFileSync(join(source, "kustomize/stage", file), "utf8")).join("---\n"),
      );
      // Before the program: where that is, its stages are.
      renameSync(join(temporary, "stages.yaml"), stagesPath(env));
    }
    renameSync(join(temporary, name), cachedPath(program, env));
    report(`built ${name} in ${Math.round((performance.now() - began) / 1000)} s`);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Gives functions of upstream's tests another name in copies of them, and lets Go build these. */
async function overlayFlag(go: string, env: NodeJS.ProcessEnv, program: Program, temporary: string): Promise<string> {
  const { package: upstreamPackage, files, replaced } = program.upstreamTests!;
  const list = ["list", "-mod=readonly", "-f", "{{.Dir}}", upstreamPackage];
  const source = (await runGo(go, list, env, program)).trim();
  const texts = new Map(files.map((file) => [file, readFileSync(join(source, file), "utf8")]));
  for (const name of replaced) {
    const found = [...texts.values()].join("").split(declarationOf(name)).length - 1;
    if (found !== 1)
      throw new Error(
        `${program.name} could not be built: ${source} declares the function ${name} ${found} times, and ${moduleFolder(program)} replaces one`,
      );
  }
  const overlay: Record<string, string> = {};
  for (const [file, text] of texts) {
    const copy = join(temporary, file);
    writeFileSync(
      copy,
      replaced.reduce((all, name) => all.replace(declarationOf(name), declarationOf(`upstreams_${name}`)), text),
    );
    overlay[join(moduleFolder(program), file)] = copy;
  }
  writeFileSync(join(temporary, "overlay.json"), JSON.stringify({ Replace: overlay }));
  return `-overlay=${join(temporary, "overlay.json")}`;
}

function declarationOf(name: string): string {
  return `\nfunc ${name}(`;
}

async function runGo(go: string, args: readonly string[], env: NodeJS.ProcessEnv, program: Program): Promise<string> {
  try {
    // A workspace or flags of the user's would choose other versions.
    return (
      await run(go, args, {
        cwd: moduleFolder(program),
        env: { ...env, CGO_ENABLED: "0", GOWORK: "off" },
        maxBuffer: MAX_BUILD_OUTPUT_BYTES,
      })
    ).stdout;
  } catch (error) {
    const said = (error as { stderr?: string }).stderr ?? String(error);
    throw new Error(
      `${program.name} could not be built: \`go ${args[0]}\` in ${moduleFolder(program)} failed:\n${said.slice(-MAX_ERROR_CHARACTERS)}`,
    );
  }
}

function noGo(missing: string): string {
  return `there is no ${missing}, and no Go in $PATH to build it with; install Go ${/^go (\S+)$/m.exec(read(programOf("etcd"), "go.mod"))![1]} or newer (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a folder that has it (kwok, promtool, upstream's tests, helm and other clients are always built)`;
}
