/** `npm run history -- FILE…`: check.ts from the command line. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { toolArguments } from "../arguments.ts";
import { checkHistory, describeVerdict, RULES } from "./check.ts";
import { parseHistory } from "./format.ts";

const HELP = `Reads histories of an API server and says whether its Job controllers did
their work. Knows nothing of any controller.

usage: npm run history -- FILE…
       npm run history -- --rules

  FILE     a history: JSON Lines, as test/history/format.ts says and npm run soak -- --history FILE writes
  --rules  what is checked
  --help   prints this

Exit status: 0 when every history keeps all rules, 1 when one does not, 2 for arguments that make no sense and for
files that are no history.
`;

interface Arguments {
  readonly files: readonly string[];
  readonly listsRules: boolean;
}

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { rules: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.help) return undefined;
  if (positionals.length === 0 && !values.rules) throw new Error("no file is given; name one history at least");
  return { files: positionals, listsRules: values.rules };
}

function check(file: string): void {
  try {
    const verdict = checkHistory(parseHistory(readFileSync(file, "utf8")));
    console.log(`${file}: ${describeVerdict(verdict)}`);
    for (const { rule, breach } of verdict.findings) console.log(`BROKEN: ${rule}: ${breach}`);
    if (verdict.findings.length > 0) process.exitCode ??= 1;
  } catch (error) {
    console.error(`${file}: ${(error as Error).message}`);
    process.exitCode = 2;
  }
}

const args = toolArguments(readArguments, HELP);
if (args?.listsRules) for (const { name } of RULES) console.log(name);
for (const file of args?.files ?? []) check(file);
