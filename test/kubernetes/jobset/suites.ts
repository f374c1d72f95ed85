/**
 * JobSet's own integration suites, unmodified: the module that go.mod pins is fetched, each suite is built once inside
 * it, with the versions of its own go.mod, and kept in `$XDG_CACHE_HOME/stint/jobset/HASH/` (`~/.cache` when unset). A
 * suite is an ordinary one with controller-runtime's envtest, which takes the cluster of a kubeconfig instead of a
 * kube-apiserver of its own. Ginkgo's report says what became of each spec.
 *
 * Invariant: a program in the cache is whole; it is built under another name and renamed.
 */
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export type SuiteName = "controller" | "webhook";

/** What became of the specs of a suite. */
export interface SuiteOutcome {
  readonly passed: number;
  /** The names of those that were not run. */
  readonly leftOut: readonly string[];
  /** The name of each spec that did not pass, and why. */
  readonly failures: ReadonlyMap<string, string>;
}

const MODULE = "sigs.k8s.io/jobset";
const PINS = ["go.mod", "go.sum"];
/** Without the last flag Go would also look through all that a suite imports. */
const BUILD = ["test", "-c", "-vet=off"];
/** The manager of the suite of the controller has metrics there, and nothing says otherwise. */
const METRICS_PORT = 8080;
/** A spec waits up to 10 s for each thing. It ends a suite that hangs, before the limit of the test. */
const SUITE_TIMEOUT = "12m";
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** What a program says that wrote no report. */
const MAX_SAID_CHARACTERS = 8000;
const run = promisify(execFile);

/** Of ginkgo's report in JSON. */
interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
}

/** What is missing for the suites, as part of a sentence; undefined when nothing is. */
export function whyNoGo(): string | undefined {
  if (spawnSync("go", ["version"]).error === undefined) return undefined;
  return `there is no go in $PATH: install Go ${/^go (\S+)$/m.exec(pins())![1]} or newer`;
}

/**
 * Runs one suite against the cluster of a kubeconfig, without the specs of these names.
 * @throws Error with what Go or the program said, when the suite cannot be fetched or built, or writes no report, or
 * fails outside its specs; also when the port is taken that the suite of the controller listens on
 */
export async function runSuite(
  name: SuiteName,
  kubeconfig: string,
  without: readonly string[] = [],
): Promise<SuiteOutcome> {
  if (name === "controller") await requireFreePort(METRICS_PORT);
  const source = await fetchModule();
  const program = await findOrBuild(name, source);
  const folder = mkdtempSync(join(tmpdir(), "stint-jobset-"));
  const report = join(folder, "report.json");
  const flags = ["--ginkgo.no-color", `--ginkgo.timeout=${SUITE_TIMEOUT}`, `--ginkgo.json-report=${report}`];
  try {
    const { stdout, stderr } = await run(
      program,
      [...flags, ...without.map((spec) => `--ginkgo.skip=${literal(spec)}$`)],
      {
        // A suite names its definitions relative to its own folder.
        cwd: join(source, "test/integration", name),
        env: { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: kubeconfig, USE_EXISTING_CLUSTER: "true" },
        maxBuffer: MAX_OUTPUT_BYTES,
      },
      // The report says which spec has failed.
    ).catch((error: { stdout?: string; stderr?: string }) => error);
    return outcomeOf(report, `${stdout ?? ""}${stderr ?? ""}`.slice(-MAX_SAID_CHARACTERS));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @throws Error when another program listens there */
async function requireFreePort(port: number): Promise<void> {
  const server = createServer().listen(port);
  await once(server, "listening").catch((error: Error) => {
    throw new Error(`JobSet's suite listens on port ${port}, which is not free (${error.message}); end what has it`);
  });
  server.close();
  await once(server, "close");
}

/** @returns the folder of JobSet's sources */
async function fetchModule(): Promise<string> {
  const { stdout } = await go(["mod", "download", "-json", MODULE], import.meta.dirname);
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

async function findOrBuild(name: SuiteName, source: string): Promise<string> {
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "stint", "jobset");
  const hash = createHash("sha256")
    .update([pins(), ...BUILD, process.platform, process.arch].join(" "))
    .digest("hex")
    .slice(0, 16);
  const folder = join(cache, hash);
  const program = join(folder, `${name}.test`);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const built = mkdtempSync(join(folder, "building-"));
  try {
    await go([...BUILD, "-o", join(built, name), `./test/integration/${name}`], source);
    renameSync(join(built, name), program);
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
  return program;
}

function pins(): string {
  return PINS.map((file) => readFileSync(join(import.meta.dirname, file), "utf8")).join("");
}

/** A workspace or flags of the user's would choose other versions. */
function go(args: readonly string[], cwd: string): Promise<{ stdout: string }> {
  const env = { ...process.env, GOWORK: "off", GOFLAGS: "-mod=readonly" };
  return run("go", args, { cwd, env, maxBuffer: MAX_OUTPUT_BYTES });
}

function outcomeOf(report: string, said: string): SuiteOutcome {
  let suites: readonly { readonly SpecReports: readonly SpecReport[] }[];
  try {
    suites = JSON.parse(readFileSync(report, "utf8"));
  } catch {
    throw new Error(`the suite wrote no report. It said:\n${said}`);
  }
  const reports = suites[0]!.SpecReports;
  const outside = reports.filter((spec) => spec.LeafNodeType !== "It" && spec.State !== "passed");
  if (outside.length > 0)
    throw new Error(`${outside.map((node) => `${node.LeafNodeType}: ${reasonOf(node)}`).join("\n")}\n${said}`);
  const specs = reports.filter((spec) => spec.LeafNodeType === "It");
  const leftOut = specs.filter((spec) => spec.State === "skipped");
  const failed = specs.filter((spec) => spec.State !== "passed" && spec.State !== "skipped");
  return {
    passed: specs.length - leftOut.length - failed.length,
    leftOut: leftOut.map(nameOf),
    failures: new Map(failed.map((spec) => [nameOf(spec), reasonOf(spec)])),
  };
}

function nameOf({ ContainerHierarchyTexts, LeafNodeText }: SpecReport): string {
  return [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(" ");
}

/** A regular expression of Go for exactly this text. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function reasonOf({ State, Failure }: SpecReport): string {
  return `${State}: ${Failure?.Message ?? "no message"}`;
}
