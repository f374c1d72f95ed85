/** The table of examples/incidents/README.md, a part of it for each group, between two comments. */
import { GROUPS, type Incident } from "../../host-node/incidents/incident.ts";
import { KNOWN_GAPS } from "./known-gaps.ts";

const BEGIN = "<!-- Written by the test of the incidents, with --update. -->";
const END = "<!-- The end of what is written. -->";
const HEAD = "| incident | what is wrong | cause | said by | `stint run` |\n|---|---|---|---|---|";

/** The text with the table of these incidents. @throws Error when it has no place for it */
export function withTable(text: string, incidents: readonly Incident[]): string {
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error("README.md has no place for the table");
  const parts = GROUPS.map((group) => [group, incidents.filter((each) => each.group === group)] as const)
    .filter(([, members]) => members.length > 0)
    .map(([group, members]) => `## ${group}\n\n${HEAD}\n${members.map(rowOf).join("\n")}\n`);
  return `${before}${BEGIN}\n\n${parts.join("\n")}\n${END}${after}`;
}

function rowOf({ name, title, answer: { cause, by }, run }: Incident): string {
  const cells = [
    `[${name}](${name}.yaml)`,
    title,
    `\`${cause}\``,
    name in KNOWN_GAPS ? `${by}: not yet` : by,
    run === undefined ? "" : "yes",
  ];
  return `| ${cells.join(" | ")} |`;
}
