/**
 * Writes build/incident-pack.ts: the incidents of examples/incidents for the playground, which fetches them when they
 * are asked for.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { PageIncident } from "../host-browser/catalogue/incident.ts";
import { GROUPS, incidentNames, readIncident } from "../host-node/incidents/incident.ts";
import { scenariosOf } from "./incident-scenarios.ts";

const FOLDER = resolve(import.meta.dirname, "../build");

/** All incidents, by their groups. */
export function pageIncidents(): PageIncident[] {
  const incidents = incidentNames().map(readIncident);
  return GROUPS.flatMap((wanted) =>
    incidents
      .filter(({ group }) => group === wanted)
      .map((incident): PageIncident => {
        const { name, group, title, story, answer, remedy } = incident;
        const said = { name, group, title, story, cause: answer.cause, object: answer.object, remedy: remedy.says };
        return { ...said, ...scenariosOf(incident) };
      }),
  );
}

if (import.meta.main) {
  mkdirSync(FOLDER, { recursive: true });
  const text = `import type { PageIncident } from "../host-browser/catalogue/incident.ts";
export const INCIDENTS: readonly PageIncident[] = ${JSON.stringify(pageIncidents(), undefined, 1)};
`;
  writeFileSync(resolve(FOLDER, "incident-pack.ts"), text);
}
