/**
 * A connection to a port of a container over the standard streams of the command that connects to it.
 *
 * Invariant: all that the port has answered arrives, also when the command has ended before somebody reads it. What is
 * written after that goes nowhere, and the connection closes once everything was read.
 */
import { Duplex, Writable } from "node:stream";
import type { Command } from "./command-handle.ts";

/** @param command was started with an input */
export function connectionOver(command: Command): Duplex {
  const connection = Duplex.from({ readable: command.stdout, writable: inputOf(command.stdin!) });
  connection.once("end", () => connection.end());
  // Whoever destroys it knows. A probe does so when nobody listens for errors yet.
  connection.on("error", () => {});
  return connection.once("close", () => command.kill());
}

/** Writes to the input of a command. That is destroyed when the command ends, which is no error here. */
function inputOf(stdin: Writable): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (stdin.destroyed || stdin.write(chunk)) {
        done();
        return;
      }
      const goOn = (): void => {
        stdin.off("drain", goOn).off("close", goOn);
        done();
      };
      stdin.on("drain", goOn).on("close", goOn);
    },
    final(done) {
      stdin.end();
      done();
    },
  });
}
