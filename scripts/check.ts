/** `npm run check`: types alone. */
import { runStages, stages } from "./stages.ts";

process.exitCode = runStages(stages.types);
