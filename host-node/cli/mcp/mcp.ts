/**
 * `stint mcp`: serves the Model Context Protocol on standard input and output, so that agents can ask what the other
 * commands answer (docs/agents.md).
 *
 * Invariant: nothing is written but answers, to standard output; what people should know goes to standard error.
 */
import type { Readable } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { RealClock } from "../../clock.ts";
import { printable } from "../../words/printable.ts";
import type { Console } from "../console.ts";
import { outputEndStatus, SIGNAL_NUMBERS } from "../exit-status.ts";
import { untilInterrupted } from "../until-interrupted.ts";
import { LineTransport } from "./line-transport.ts";
import { createServer, type ServerOptions } from "./server.ts";
import { document } from "../../words/document.ts";

const EXIT_CLOSED = 0;
const SIGNALLED = 128;
const HINT = `stint: an agent starts this server and writes JSON-RPC to its standard input, a message a line; ${document("docs/agents.md")} says how to add it to one. Ctrl-D ends it.\n`;

/** @param input standard input. @returns the exit status */
export async function mcp(
  options: ServerOptions,
  console: Console,
  input: Readable & { readonly isTTY?: boolean },
): Promise<number> {
  if (input.isTTY === true) console.writeError(HINT);
  const clock = new RealClock();
  const transport = new LineTransport(input, (text) => void console.writeOut(text), clock);
  let exit = EXIT_CLOSED;
  const endWith = (status: number): void => {
    exit = status;
    void transport.close();
  };
  console.onOutputClosed(() => endWith(outputEndStatus(console)));
  serveStdio(() => createServer(options, console), {
    transport,
    onerror: ({ message }) => console.writeError(`stint: ${printable(message)}\n`),
  });
  await untilInterrupted(
    { run: () => transport.closed, stop: (signal) => endWith(SIGNALLED + SIGNAL_NUMBERS[signal]) },
    console,
  );
  clock.stop();
  return exit;
}
