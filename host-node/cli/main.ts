#!/usr/bin/env node
/** The `stint` command. Everything happens in program.ts; this hands it the process. */
import packageJson from "../../package.json" with { type: "json" };
import { processConsole } from "./console.ts";
import { main } from "./program.ts";

process.exitCode = await main(process.argv.slice(2), packageJson.version, processConsole());
