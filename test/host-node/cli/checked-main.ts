/** The program as its tests call it: what it prints as JSON must have the form of its schema. */
import type { Console } from "../../../host-node/cli/console.ts";
import { main as program } from "../../../host-node/cli/program.ts";
import { checkOutput } from "./closed-schema.ts";

export async function main(
  args: readonly string[],
  version: string,
  console: Console & { readonly out: string },
): Promise<number> {
  const before = console.out.length;
  const status = await program(args, version, console);
  checkOutput(args, console.out.slice(before));
  return status;
}
