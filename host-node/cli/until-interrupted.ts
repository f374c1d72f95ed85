/**
 * Something that runs until the process gets a signal: the first one stops it in good order, a second one ends the
 * process at once.
 */
import type { Console, StopSignal } from "./console.ts";

const EXIT_INTERRUPTED = 130;

/** @returns the result of `run`. @throws the errors of `run` */
export async function untilInterrupted<Result>(
  running: { run(): Promise<Result>; stop(signal: StopSignal): void },
  console: Console,
): Promise<Result> {
  let isInterrupted = false;
  const stopListening = console.onSignal((signal) => {
    if (isInterrupted) process.exit(EXIT_INTERRUPTED);
    isInterrupted = true;
    running.stop(signal);
  });
  try {
    return await running.run();
  } finally {
    stopListening();
  }
}
