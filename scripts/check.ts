/** `npm run check`: the format of the sources, and their types. */
import { runStages, stages } from "./stages.ts";

process.exitCode = runStages([stages.format, ...stages.types]);
