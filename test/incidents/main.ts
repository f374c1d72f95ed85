/** `npm run incident`: plays an incident, says what the product makes of it, and the answer. */
import { parseArgs } from "node:util";
import { toolArguments } from "../arguments.ts";
import { incidentNames, repaired, readIncident } from "./incident.ts";
import { ask } from "./sources.ts";
import { play, type Seen } from "./stage.ts";

const HELP = `Plays an incident of examples/incidents in a cluster on virtual time, and says why its Job does not complete.

usage: npm run incident -- [--repaired] NAME

  --repaired  with the remedy: the Job completes
  --help    prints this

Exit status: 0 when it was played, 1 when the remedy does not help, 2 for arguments that make no sense.
`;

interface Arguments {
  readonly name: string;
  readonly isRepaired: boolean;
}

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { repaired: { type: "boolean" }, help: { type: "boolean" } },
    allowPositionals: true,
  });
  if (values.help) return undefined;
  const [name = "", ...more] = positionals;
  const names = incidentNames();
  if (!names.includes(name) || more.length > 0)
    throw new Error(`the incident is ${JSON.stringify(positionals.join(" "))}; allowed is one of ${names.join(", ")}`);
  return { name, isRepaired: values.repaired === true };
}

/** What is seen of it, without who says it. */
function told({ why, refusals, events, job }: Seen): string {
  if (why !== "") return why;
  if (job !== undefined) return `job ${job.metadata.name} is gone`;
  return [...refusals, ...events.map(({ reason, message, note }) => `${reason}: ${message ?? note}`)].join("\n");
}

async function show({ name, isRepaired }: Arguments): Promise<void> {
  const incident = readIncident(name);
  const { answer, remedy } = incident;
  const seen = await play(isRepaired ? repaired(incident) : incident, isRepaired);
  const parts = [`${incident.title}\n\n${incident.story}`, told(seen)];
  if (!isRepaired) {
    const said = (await ask(answer.by, incident, seen)).filter(({ code }) => code === answer.cause);
    // The text of `stint why` is there already.
    parts.push(...said.slice(-1).flatMap(({ words }) => (words === seen.why ? [] : [`${answer.by} says: ${words}`])));
    parts.push(`cause:   ${answer.cause}\nobject:  ${answer.object}\nremedy:  ${remedy.says}`);
  }
  process.stdout.write(`${parts.join("\n\n")}\n`);
  process.exitCode = isRepaired && !seen.isComplete ? 1 : 0;
}

const given = toolArguments(readArguments, HELP);
if (given !== undefined) await show(given);
