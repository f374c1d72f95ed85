#!/usr/bin/env node
/**
 * The `stint` command. This file checks that Node is new enough and hands the process to program.ts, which does
 * everything else.
 */
import packageJson from "../../package.json" with { type: "json" };
import { processConsole } from "./console.ts";
import { EXIT_BAD_INPUT } from "./exit-status.ts";
import { calledWithNewerNode } from "./how-called.ts";
import { nodeVersionProblem } from "./node-version.ts";
import { main } from "./program.ts";

const newer = calledWithNewerNode({ script: process.argv[1] ?? "", workingDirectory: process.cwd() });
const problem = nodeVersionProblem(process.versions.node, packageJson.engines.node, newer);
if (problem !== undefined) process.stderr.write(`${problem}\n`);
process.exitCode =
  problem === undefined ? await main(process.argv.slice(2), packageJson.version, processConsole()) : EXIT_BAD_INPUT;
