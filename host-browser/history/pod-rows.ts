/**
 * Pods at an instant, as `kubectl get pods` prints them. A pod whose version is not kept gets its row from the columns:
 * it counts as one container, and the table does not say when it was restarted.
 */
import { humanDuration } from "../../cluster/apiserver/tables/duration.ts";
import { podTable } from "../../cluster/apiserver/tables/pods.ts";
import { PodState } from "../records.ts";
import type { Book } from "./book.ts";
import { cellsOf, columnNames, type TextTable } from "./table-cells.ts";
import type { PodVersions } from "./versions.ts";

/** The column STATUS of a pod whose object is not kept. */
const STATUS: Readonly<Record<PodState, string>> = {
  [PodState.PENDING]: "Pending",
  [PodState.STARTING]: "ContainerCreating",
  [PodState.WAITING]: "Waiting",
  [PodState.RUNNING]: "Running",
  [PodState.READY]: "Running",
  [PodState.TERMINATING]: "Terminating",
  [PodState.SUCCEEDED]: "Completed",
  [PodState.FAILED]: "Error",
  [PodState.GONE]: "",
};

/** The rows of these pods, in their order. */
export function podTableOf(book: Book, versions: PodVersions, pods: readonly number[], atMs: number): TextTable {
  return {
    columns: columnNames(podTable),
    ids: pods,
    rows: pods.map((pod) => {
      const object = versions.at(pod, atMs);
      return object === undefined ? rowOfColumns(book, pod, atMs) : cellsOf(podTable, object, atMs + book.startMs);
    }),
  };
}

function rowOfColumns(book: Book, pod: number, atMs: number): readonly string[] {
  const { podNames, pods, texts, transitions } = book.tables;
  const row = book.tables.transitionAt(pod, atMs);
  const { detail, restarts, state } = transitions.columns;
  const then = state.at(row) as PodState;
  const status = then === PodState.WAITING ? texts.at(detail.at(row)) : "";
  return [
    podNames[pod]!,
    then === PodState.READY ? "1/1" : "0/1",
    status || STATUS[then],
    String(restarts.at(row)),
    humanDuration(atMs - pods.columns.createdMs.at(pod)),
  ];
}
