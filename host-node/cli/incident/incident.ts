/**
 * `stint incident`: lists the incidents of examples/incidents, which come with the command, or plays one and says what
 * is wrong and what helps.
 *
 * Invariant: everything runs in this process, on virtual time, and nothing is read but the incidents.
 */
import {
  type Incident,
  GROUPS,
  incidentNames,
  isIncidentName,
  readIncident,
  repaired,
} from "../../incidents/incident.ts";
import { play } from "../../incidents/play.ts";
import { UsageError } from "../../usage-error.ts";
import { brokenLines } from "../../words/broken-lines.ts";
import { styleFor } from "../../words/style.ts";
import { similarNames } from "../../../cluster/values/similar-names.ts";
import type { Console } from "../console.ts";
import { documentLine, head } from "../json/document.ts";
import { writeText } from "../output/wrapped.ts";
import type { IncidentList, IncidentReport, IncidentSummary } from "./document.ts";
import { tellSeen } from "./tell-seen.ts";

/** Where no terminal says how many there are. */
const USUAL_COLUMNS = 80;
const MAX_COLUMNS = 100;
const EXIT_DONE = 0;
const EXIT_NOT_COMPLETE = 1;

export interface IncidentOptions {
  readonly name: string | undefined;
  readonly repaired: boolean;
  readonly serve: boolean;
  readonly port: number;
  readonly kubeconfig: string;
  readonly output: "text" | "json";
}

/** @returns the exit status. @throws UsageError for an unknown name, or options without a meaning */
export async function incident(options: IncidentOptions, console: Console): Promise<number> {
  const { name, output } = options;
  if (name === undefined) {
    if (options.repaired || options.serve)
      throw new UsageError("--repaired and --serve are for one incident; name it, as stint incident lists it");
    if (output === "json") console.writeOut(listForPrograms());
    else writeText(console, listForPeople(console));
    return EXIT_DONE;
  }
  const found = readIncident(checkedName(name));
  if (options.serve) {
    const { serveIncident } = await import("./serve-incident.ts");
    return serveIncident(options.repaired ? repaired(found) : found, options, console);
  }
  const seen = await play(options.repaired ? repaired(found) : found, options.repaired);
  const told = await tellSeen(found, seen, console);
  if (output === "json")
    console.writeOut(
      documentLine({ ...head("IncidentReport"), ...shown(found), ...told.json } satisfies IncidentReport),
    );
  else {
    const { answer, remedy } = found;
    const parts = [
      headOf(found, console),
      told.text,
      options.repaired
        ? `with the remedy: ${remedy.says}`
        : [
            `cause:   ${answer.cause}`,
            `object:  ${answer.object}`,
            `remedy:  ${remedy.says}`,
            `try it:  stint incident ${found.name} --repaired`,
          ].join("\n"),
    ];
    writeText(console, `${parts.join("\n\n")}\n`);
  }
  return options.repaired && !seen.isComplete ? EXIT_NOT_COMPLETE : EXIT_DONE;
}

/** Title and story. */
export function headOf({ title, story }: Incident, console: Console): string {
  const style = styleFor(console.terminal !== undefined, console.environment);
  return [style.bold(title), "", ...brokenLines(story.trim(), columnsOf(console))].join("\n");
}

function checkedName(name: string): string {
  if (isIncidentName(name)) return name;
  const names = incidentNames();
  const near = names.filter((each) => each.includes(name) || name.includes(each));
  const similar = [...new Set([...similarNames(name, names), ...near])];
  const advice = similar.length === 0 ? "stint incident lists them" : `did you mean ${similar.join(", ")}?`;
  throw new UsageError(`there is no incident ${JSON.stringify(name)}; ${advice}`);
}

function listForPeople(console: Console): string {
  const style = styleFor(console.terminal !== undefined, console.environment);
  const incidents = incidentNames().map(readIncident);
  const width = Math.max(...incidents.map(({ name }) => name.length));
  const parts = GROUPS.map((group) => {
    const members = incidents.filter((each) => each.group === group);
    return [style.bold(group), ...members.map(({ name, title }) => `  ${name.padEnd(width)}  ${title}`)].join("\n");
  });
  return `${parts.join("\n\n")}\n\nstint incident NAME plays one.\n`;
}

function listForPrograms(): string {
  const incidents = incidentNames().map((name) => shown(readIncident(name)));
  return documentLine({ ...head("IncidentList"), incidents } satisfies IncidentList);
}

function shown({ name, group, title, story, answer, remedy }: Incident): IncidentSummary {
  const { cause, by, object } = answer;
  return { name, group, title, story, cause, by, object, remedy: remedy.says };
}

function columnsOf({ terminal }: Console): number {
  return Math.min(terminal?.().columns ?? USUAL_COLUMNS, MAX_COLUMNS);
}
