/** `npm run check`: the format of the sources, what oxlint finds in them, and their types. */
import { runStages, stages } from "./stages.ts";

process.exitCode = await runStages([stages.format, stages.lint, ...stages.types]);
