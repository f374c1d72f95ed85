/**
 * Makes test/vectors/histories/ again: some Jobs on a real API server, by upstream's controller and by Stint, as two
 * histories. They are small, so that every `npm test` can judge them, and mutilate them, without a server.
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { formatHistory, type Line } from "../history/format.ts";
import { run } from "./run.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import { namespaceOf, type Side, SIDES, Theatre } from "./theatre.ts";

const FOLDER = resolve(import.meta.dirname, "../vectors/histories");
/** Successes, failures and failed indexes that are counted; a Job that waits, and pods that are stopped. */
const NAMES = ["backoff-limit-1", "limit-per-index-0", "suspended-from-the-start", "fail-job"];

function historyOf(lines: readonly Line[], side: Side, namespaces: ReadonlySet<string>): Line[] {
  return lines.flatMap((line): Line[] => {
    if (line.line === "history")
      return [{ ...line, controllers: line.controllers.filter(({ program }) => program === side) }];
    if (line.line === "read")
      return lines.some(
        (header) =>
          header.line === "history" &&
          header.controllers.some(({ user, program }) => user === line.user && program === side),
      )
        ? [line]
        : [];
    return namespaces.has(line.line === "event" ? line.object.metadata.namespace : line.namespace) ? [line] : [];
  });
}

const scenarios = SCENARIOS.filter(({ name }) => NAMES.includes(name));
const theatre = await Theatre.open({ scenarios, onProblem: console.error });
try {
  const namespaces = scenarios.flatMap((scenario) => SIDES.map((side) => namespaceOf(scenario, side)));
  const results = await Promise.all(scenarios.map((scenario) => run(theatre, scenario, namespaces)));
  for (const { scenario, problem } of results)
    if (problem !== undefined) throw new Error(`${scenario.name}: ${problem}`);
  const lines = await theatre.history();
  for (const side of SIDES) {
    const file = resolve(FOLDER, `${side}.jsonl`);
    const text = formatHistory(
      historyOf(lines, side, new Set(scenarios.map((scenario) => namespaceOf(scenario, side)))),
    );
    writeFileSync(file, text);
    console.log(`${file}: ${text.length} bytes`);
  }
} finally {
  await theatre.close();
}
