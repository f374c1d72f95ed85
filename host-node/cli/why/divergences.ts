/** `stint why --shadow`: where the built-in controller and Stint diverge in a Job, as a shadow at an address says. */
import { answeredObject } from "../../../cluster/client/client.ts";
import type { Divergence } from "../../shadow/divergence.ts";
import { type JobReport, shadowPath } from "../../shadow/pages.ts";
import { UsageError } from "../../usage-error.ts";
import type { Console } from "../console.ts";
import { counted } from "../../words/counted.ts";
import { qualifiedName } from "../../words/job-name.ts";
import { printable } from "../../words/printable.ts";
import { type Style, styleFor } from "../../words/style.ts";
import { type Document, documentLine, head } from "../json/document.ts";
import { refusalOf } from "./api-reader.ts";
import { fetchPage, type JobTarget } from "./controllers.ts";
import { document } from "../../words/document.ts";

const EXIT_FOUND = 0;
const EXIT_NOT_FOUND = 1;

/** Where the built-in controller and Stint diverge in a Job, as a shadow has found it. */
export interface DivergenceReport extends Document<"DivergenceReport">, JobReport {}

/** @returns the exit status. @throws UsageError when no shadow answers at the address */
export async function tellDivergences(
  target: JobTarget,
  url: string | undefined,
  output: "text" | "json",
  console: Console,
): Promise<number> {
  if (url === undefined)
    throw new UsageError(
      "--shadow is given without --controller, the address of a `stint controller --shadow`, such as http://127.0.0.1:8080",
    );
  const answer = await fetchPage(url, shadowPath(target.namespace, target.job));
  const report = answeredObject(answer) as unknown as JobReport;
  if (typeof report.found !== "boolean" || !Array.isArray(report.divergences))
    throw new UsageError(
      `${url} is no shadow; it answered ${refusalOf(answer)}.\nIs it the address of a \`stint controller --shadow\`? Its --listen says which.`,
    );
  const style = styleFor(console.terminal !== undefined, console.environment);
  const told: DivergenceReport = { ...head("DivergenceReport"), ...report };
  console.writeOut(output === "json" ? documentLine(told) : `${linesOf(report, style).join("\n")}\n`);
  return report.found ? EXIT_FOUND : EXIT_NOT_FOUND;
}

function linesOf({ namespace, job, found, divergences }: JobReport, style: Style): string[] {
  const name = style.bold(`job ${qualifiedName(namespace, job)}`);
  if (!found) return [`${name}: the shadow knows no such Job`];
  if (divergences.length === 0) return [`${name}: the built-in controller does as Stint would`];
  return [
    `${name}: ${counted(divergences.length, "divergence")}, the newest first`,
    ...divergences.flatMap((divergence) => ["", ...divergenceLines(divergence, style)]),
  ];
}

function divergenceLines({ atMs, kind, sentence, decisions, known }: Divergence, style: Style): string[] {
  return [
    `${new Date(atMs).toISOString()}  ${style.yellow(printable(kind))}`,
    `  ${printable(sentence)}`,
    ...decisions.map(({ code, message }) => `  ${style.dim(`Stint: ${printable(message)} (${printable(code)})`)}`),
    ...(known === undefined ? [] : [`  as ${document("docs/differences.md")} says: ${printable(known)}`]),
  ];
}
