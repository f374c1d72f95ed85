/**
 * state.terminated.message of a container (docs/spec/api.md 5.6): the file at its terminationMessagePath, or else, with
 * policy FallbackToLogsOnError and an exit code other than 0, the end of its log. Source: getTerminationMessage in
 * pkg/kubelet/kuberuntime.
 */
import type { ContainerLog } from "./container-log.ts";
import { utf8Head, utf8Tail } from "./utf8.ts";
import type { Container } from "../values/kinds.ts";

/** Longest message of a container in bytes. */
export const MAX_TERMINATION_MESSAGE_BYTES = 4096;
/** How much of the log is used if the file is empty. */
export const MAX_FALLBACK_LOG_BYTES = 2048;
export const MAX_FALLBACK_LOG_LINES = 80;

/** The message, cut to its limit; undefined if there is none. */
export function terminationMessage(
  fromRuntime: string | undefined,
  container: Container,
  exitCode: number,
  log: Pick<ContainerLog, "kept"> | undefined,
): string | undefined {
  if (fromRuntime) return utf8Head(fromRuntime, MAX_TERMINATION_MESSAGE_BYTES);
  if (container.terminationMessagePolicy !== "FallbackToLogsOnError" || exitCode === 0 || log === undefined)
    return undefined;
  const tail = log
    .kept()
    .slice(-MAX_FALLBACK_LOG_LINES)
    .map((line) => `${line.text}\n`);
  return tail.length === 0 ? undefined : utf8Tail(tail.join(""), MAX_FALLBACK_LOG_BYTES);
}
