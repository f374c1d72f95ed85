/**
 * The `stint` command as a single executable, which is its own Node: `scripts/release/executable/` makes it of this
 * file. `main.ts` is the command for the Node of the user.
 */
import packageJson from "../../package.json" with { type: "json" };
import { processConsole } from "./console.ts";
import { main } from "./program.ts";

/** Called by the executable when it starts. */
export async function start(args: readonly string[]): Promise<void> {
  process.exitCode = await main(args, packageJson.version, processConsole());
}
