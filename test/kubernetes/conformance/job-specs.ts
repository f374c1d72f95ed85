/** The program that has upstream's specs of Jobs: which there are, and one of them against a server. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findOrBuild } from "../binaries/binaries.ts";

/** Whose specs they are: the program has those of other kinds, too. */
const OWNER = "[sig-apps]";
const KINDS = ["Job", "CronJob", "TTLAfterFinished"];
/** What a failed spec says. */
const MAX_SAID_CHARACTERS = 8000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const FLAGS = [
  // No cloud, whose machines it would ask for.
  "--provider=skeleton",
  // No controller puts the authority of the API server into each namespace, and no pod asks the server for anything.
  "--e2e-verify-service-account=false",
  // The logs of machines; what is in the namespace is printed all the same.
  "--disable-log-dump",
  // Without it a spec waits for a Job for 15 minutes; the longest one takes a little more than five.
  "--ginkgo.timeout=10m",
  "--ginkgo.no-color",
];

/** Of ginkgo's report in JSON. */
interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
}

/** The names of all specs of these kinds that the program has. */
export async function specNames(): Promise<string[]> {
  return (await run(["--ginkgo.dry-run", `--ginkgo.focus=${literal(OWNER)} (${KINDS.join("|")}) `])).ran.map(nameOf);
}

/** @returns why it failed; undefined: it passed. @throws Error when the program ran another number of specs than one */
export async function runSpec(name: string, kubeconfig: string): Promise<string | undefined> {
  const { ran, said } = await run([`--kubeconfig=${kubeconfig}`, `--ginkgo.focus=${literal(`${OWNER} ${name}`)}$`]);
  if (ran.length !== 1 || nameOf(ran[0]!) !== name)
    throw new Error(`of the specs, ${ran.length} ran instead of the one "${name}". The program said:\n${said}`);
  const [{ State, Failure }] = ran as [SpecReport];
  return State === "passed" ? undefined : `${State}: ${Failure?.Message}\n${said}`;
}

async function run(args: readonly string[]): Promise<{ ran: SpecReport[]; said: string }> {
  const folder = mkdtempSync(join(tmpdir(), "stint-conformance-"));
  const report = join(folder, "report.json");
  try {
    const { stdout, stderr } = await promisify(execFile)(
      await findOrBuild("job-specs"),
      [...FLAGS, `--ginkgo.json-report=${report}`, ...args],
      { cwd: folder, env: { PATH: process.env["PATH"] ?? "", HOME: folder }, maxBuffer: MAX_OUTPUT_BYTES },
      // A spec that fails is in the report.
    ).catch((error: { stdout?: string; stderr?: string }) => error);
    const said = `${stdout ?? ""}${stderr ?? ""}`.slice(-MAX_SAID_CHARACTERS);
    return { ran: ranOf(report, said), said };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What was chosen and ran; the rest is in the report as skipped. */
function ranOf(report: string, said: string): SpecReport[] {
  let suites: readonly { readonly SpecReports: readonly SpecReport[] }[];
  try {
    suites = JSON.parse(readFileSync(report, "utf8"));
  } catch {
    throw new Error(`the program wrote no report. It said:\n${said}`);
  }
  return suites[0]!.SpecReports.filter(
    ({ ContainerHierarchyTexts, State }) => ContainerHierarchyTexts !== null && State !== "skipped",
  );
}

/** Without its owner. */
function nameOf({ ContainerHierarchyTexts, LeafNodeText }: SpecReport): string {
  return [...ContainerHierarchyTexts!, LeafNodeText].join(" ").slice(`${OWNER} `.length);
}

/** A regular expression of Go for exactly this text. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
