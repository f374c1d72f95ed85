/** `npm run format`: formats the sources, as `npm run check` wants them. */
import { runStages, stages } from "./stages.ts";

process.exitCode = await runStages([stages.fixFormat]);
