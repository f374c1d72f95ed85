/**
 * Over all lessons: what the controller writes has the decision that its request carried out, by the number that the
 * engine gave. What has no decision is the doing of nodes and people.
 */
import { describe, expect, test } from "vitest";
import type { ApiRequest } from "../../../bindings/js/host.ts";
import type { Write } from "../../../cluster/index.ts";
import { LESSONS } from "../../../host-browser/catalogue/lessons.ts";
import { LateTable, NONE, PodState } from "../../../host-browser/records.ts";
import type { History } from "../../../host-browser/history/history.ts";
import { Run } from "./run.ts";

const STATES = Object.keys(PodState);

/** A row of the tables, and what led to it. */
interface Row {
  readonly table: LateTable;
  readonly row: number;
  readonly by: string;
}

/** Listens to what the history receives, and notes which rows came from it. */
function rowsOf(history: History): Row[] {
  const { tables } = history.book;
  const rows: Row[] = [];
  let request: ApiRequest | undefined;
  const told = {
    onRequest: history.onRequest.bind(history),
    onSent: history.onSent.bind(history),
    onWrite: history.onWrite.bind(history),
  };
  history.onRequest = (id, sent, nowMs) => {
    request = sent;
    told.onRequest(id, sent, nowMs);
  };
  history.onSent = () => {
    request = undefined;
    told.onSent();
  };
  history.onWrite = (write: Write, nowMs) => {
    const before = [tables.transitions, tables.versions, tables.events, tables.pods].map(({ length }) => length);
    told.onWrite(write, nowMs);
    const by = request === undefined ? "" : `${request.method} ${kindOf(request)}`;
    [tables.transitions, tables.versions, tables.events, tables.pods].forEach(({ length }, table) => {
      for (let row = before[table]!; row < length; row++) rows.push({ table: table as LateTable, row, by });
    });
  };
  return rows;
}

function kindOf({ path }: ApiRequest): string {
  const [, resource = "", sub = ""] = /\/namespaces\/[^/]+\/([a-z]+)(?:\/[^/]+)?(\/status)?/.exec(path) ?? [];
  return `${resource}${sub}`;
}

const NAMES = ["transition", "version", "event", "pod", "gap"] as const;

/** By what was done and who did it: how many rows have a decision of which code. */
type Counts = Record<string, Record<string, number>>;

function countsOf(): Counts {
  const counts: Counts = {};
  for (const { scenario } of LESSONS) {
    const { yaml, ...rest } = scenario;
    let rows: Row[] = [];
    const run = new Run(yaml, rest, (history) => (rows = rowsOf(history))).toEnd();
    const { tables } = run.history.book;
    for (const { table, row, by } of rows) {
      const { columns } = [tables.transitions, tables.versions, tables.events, tables.pods][table]!;
      const decision = columns.decision.at(row);
      const code = decision === NONE ? "NONE" : tables.texts.at(tables.decisions.columns.code.at(decision));
      const state = table === LateTable.TRANSITION ? ` ${STATES[tables.transitions.columns.state.at(row)]}` : "";
      const ofKind = (counts[`${by || "others"}: ${NAMES[table]}${state}`] ??= {});
      ofKind[code] = (ofKind[code] ?? 0) + 1;
    }
  }
  return counts;
}

describe("over all lessons", () => {
  const counts = countsOf();
  const codesOf = (kind: string): string[] => Object.keys(counts[kind] ?? {}).sort();
  const byOthers = Object.entries(counts).filter(([kind]) => kind.startsWith("others: "));

  test("everything that the controller writes has a decision", () => {
    const own = Object.entries(counts).filter(([kind]) => !kind.startsWith("others: "));
    expect(own.map(([kind]) => kind)).toEqual(
      expect.arrayContaining([
        ...["POST pods: pod", "POST pods: transition PENDING", "DELETE pods: transition TERMINATING"],
        ...["PATCH jobs/status: version", "DELETE jobs: version", "POST events: event", "PATCH events: event"],
      ]),
    );
    expect(own.filter(([, codes]) => "NONE" in codes)).toEqual([]);
  });

  test("the decision is one that leads to this", () => {
    expect(codesOf("POST pods: pod")).toEqual(["Creating"]);
    expect(codesOf("POST pods: transition PENDING")).toEqual(["Creating"]);
    expect(codesOf("DELETE jobs: version")).toEqual(["Removing"]);
    expect(codesOf("DELETE pods: transition TERMINATING")).toEqual([
      ...["DeadlinePassed", "DeletingSurplus", "SuccessPolicyMet", "Suspending", "TooManyRestarts"],
    ]);
    const status = codesOf("PATCH jobs/status: version");
    expect(status).toEqual(expect.arrayContaining(["Counted", "Creating", "Ended", "Suspended", "WaitingForPods"]));
    expect(status.filter((code) => /Failed$|Retry|Removing|Claiming/.test(code))).toEqual(["IndexesFailed"]);
    for (const [kind, codes] of Object.entries(counts).filter(([kind]) => kind.endsWith(" events: event")))
      expect(
        Object.keys(codes).filter((code) => /^(Waiting|Counted|.*Backoff)/.test(code)),
        kind,
      ).toEqual([]);
  });

  test("none has what nodes do, and what people do after the last decision", () => {
    const without = byOthers.filter(([, codes]) => "NONE" in codes).map(([kind]) => kind.slice("others: ".length));
    // Bound, started, waiting, without a node: scheduler and kubelet. Their Events tell of no decision.
    const ofNodes = ["PENDING", "READY", "RUNNING", "STARTING", "WAITING"].map((state) => `transition ${state}`);
    expect(without.sort()).toEqual(["event", ...ofNodes, "version"]);
    // The one change of a Job that no decision follows: that of a Job which another controller manages.
    expect(counts["others: version"]!["NONE"]).toBe(1);
  });
});
