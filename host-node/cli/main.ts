#!/usr/bin/env node
/**
 * The `stint` command. This file checks that Node is new enough and hands the process to program.ts, which does
 * everything else. It imports little itself: what Node has compiled is kept for what is imported later.
 */
import packageJson from "../../package.json" with { type: "json" };
import { keepCompiledCode } from "./compiled-code.ts";
import { processConsole } from "./console.ts";
import { EXIT_BAD_INPUT } from "./exit-status.ts";
import { calledWithNewerNode } from "./how-called.ts";
import { nodeVersionProblem } from "./node-version.ts";

/** They start rarely, and would hold the code of the cache in their memory. */
const RUN_FOR_LONG = ["controller", "webhook"];

const newer = calledWithNewerNode({ script: process.argv[1] ?? "", workingDirectory: process.cwd() });
const problem = nodeVersionProblem(process.versions.node, packageJson.engines.node, newer);
if (problem === undefined) {
  if (!RUN_FOR_LONG.includes(process.argv[2] ?? "")) keepCompiledCode(process.env);
  const { main } = await import("./program.ts");
  process.exitCode = await main(process.argv.slice(2), packageJson.version, processConsole());
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = EXIT_BAD_INPUT;
}
