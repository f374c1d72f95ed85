#!/usr/bin/env node
/** The `stint` command. Everything happens in program.ts; this hands it the process, if that is new enough. */
import packageJson from "../../package.json" with { type: "json" };
import { processConsole } from "./console.ts";
import { EXIT_BAD_INPUT } from "./exit-status.ts";
import { nodeVersionProblem } from "./node-version.ts";
import { main } from "./program.ts";

const problem = nodeVersionProblem(process.versions.node, packageJson.engines.node);
if (problem !== undefined) process.stderr.write(`${problem}\n`);
process.exitCode =
  problem === undefined ? await main(process.argv.slice(2), packageJson.version, processConsole()) : EXIT_BAD_INPUT;
