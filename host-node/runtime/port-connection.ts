/**
 * A connection to a port of a container over the standard streams of the command that connects to it.
 *
 * Invariant: all that the port has answered arrives, even if the command ends before the client reads it. Data written
 * after that is dropped, and the connection closes after everything was read.
 */
import { Duplex, Writable } from "node:stream";
import type { Command } from "./command-handle.ts";

/** @param command was started with an input */
export function connectionOver(command: Command): Duplex {
  const connection = Duplex.from({ readable: command.stdout, writable: inputOf(command.stdin!) });
  connection.once("end", () => connection.end());
  // The caller that destroys it knows. A probe does so before it listens for errors.
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
