/** Logs: bounds, lines across chunks, reading options, followers, termination messages. */
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import type { LogOptions } from "../../../cluster/apiserver/contract/kubelet-api.ts";
import {
  ContainerLog,
  LOG_LINE_OVERHEAD_BYTES,
  MAX_LOG_BYTES,
  MAX_LOG_LINE_LENGTH,
} from "../../../cluster/kubelet/container-log.ts";
import { LogStore, MAX_NODE_LOG_BYTES, MIN_LOG_BYTES } from "../../../cluster/kubelet/log-store.ts";
import { terminationMessage } from "../../../cluster/kubelet/termination-message.ts";
import type { Container } from "../../../cluster/values/kinds.ts";
import { utf8Head, utf8Tail } from "../../../cluster/kubelet/utf8.ts";

const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

function setUp() {
  const clock = new VirtualClock(START_MS);
  const store = new LogStore(clock);
  const log = store.open("uid", "c", () => {});
  const read = (options: Partial<LogOptions> = {}) => {
    const seen = { text: "", ended: false, unsubscribe: () => {} };
    const sink = { data: (chunk: string) => void (seen.text += chunk), end: () => void (seen.ended = true) };
    seen.unsubscribe = store
      .read(log, { follow: false, previous: false, timestamps: false, ...options })
      .subscribe(sink);
    return seen;
  };
  const print = (text: string) => log.append("stdout", text, clock.now());
  return { clock, store, log, read, print };
}

describe("ContainerLog", () => {
  test("joins lines and characters that were cut anywhere, and keeps empty lines", () => {
    const lines: string[] = [];
    const log = new ContainerLog((_stream, line) => lines.push(line.text));
    const bytes = new TextEncoder().encode("grün\n\nzwei\ndrei");
    for (const byte of bytes) log.append("stdout", Uint8Array.of(byte), 0);
    expect(lines).toEqual(["grün", "", "zwei"]);
    log.end(0);
    expect(lines).toEqual(["grün", "", "zwei", "drei"]);
  });

  test("keeps stdout and stderr apart while a line grows", () => {
    const lines: string[] = [];
    const log = new ContainerLog((stream, line) => lines.push(`${stream} ${line.text}`));
    log.append("stdout", "a", 0);
    log.append("stderr", "b\n", 0);
    log.append("stdout", "c\n", 0);
    expect(lines).toEqual(["stderr b", "stdout ac"]);
  });

  test("keeps 10 MiB, as a container runtime counts them, and drops the oldest lines first", () => {
    const log = new ContainerLog(() => {});
    const line = "é".repeat(500);
    const fitting = Math.floor(MAX_LOG_BYTES / (1000 + LOG_LINE_OVERHEAD_BYTES));
    for (let i = 0; i < fitting; i++) log.append("stdout", `${line}\n`, i);
    expect(log.kept()).toHaveLength(fitting);
    expect(log.gone).toBeUndefined();
    for (let i = 0; i < 5; i++) log.append("stdout", `${line}\n`, fitting + i);
    expect(log.kept()).toHaveLength(fitting);
    expect(log.kept()[0]!.timeMs).toBe(5);
    expect(log.gone).toEqual({ lines: 5, untilMs: 4 });
  });

  test("holds no more than its limit of lines that say nothing", () => {
    const log = new ContainerLog(() => {});
    for (let i = 0; i < 30; i++) log.append("stdout", "\n".repeat(10_000), 0);
    expect(log.kept()).toHaveLength(Math.floor(MAX_LOG_BYTES / LOG_LINE_OVERHEAD_BYTES));
  });

  test("cuts a line that is too long instead of growing without end", () => {
    const log = new ContainerLog(() => {});
    log.append("stdout", "y".repeat(2 * MAX_LOG_LINE_LENGTH + 3), 0);
    log.end(0);
    expect(log.kept().map((line) => line.text.length)).toEqual([MAX_LOG_LINE_LENGTH, MAX_LOG_LINE_LENGTH, 3]);
  });
});

describe("reading", () => {
  test("tailLines, timestamps and limitBytes", () => {
    const { print, read } = setUp();
    print("eins\nzwei\ndräi\n");
    expect(read().text).toBe("eins\nzwei\ndräi\n");
    expect(read({ tailLines: 2 }).text).toBe("zwei\ndräi\n");
    expect(read({ tailLines: 0 })).toMatchObject({ text: "", ended: true });
    expect(read({ tailLines: 1, timestamps: true }).text).toBe("2026-01-02T03:04:05.678000000Z dräi\n");
    // `dr` and half of the two bytes of ä: no half characters.
    expect(read({ tailLines: 1, limitBytes: 3 }).text).toBe("dr");
  });

  test("sinceSeconds and sinceTime", () => {
    const { clock, print, read } = setUp();
    print("old\n");
    clock.advance(10_000);
    print("new\n");
    expect(read({ sinceSeconds: 5 }).text).toBe("new\n");
    expect(read({ sinceTime: START_MS }).text).toBe("old\nnew\n");
  });

  test("follow delivers what comes until the container ends", () => {
    const { clock, log, print, read } = setUp();
    print("a\n");
    const seen = read({ follow: true });
    const left = read({ follow: true });
    left.unsubscribe();
    expect(seen).toMatchObject({ text: "a\n", ended: false });
    print("b\n");
    log.end(clock.now());
    expect(seen).toMatchObject({ text: "a\nb\n", ended: true });
    expect(left).toMatchObject({ text: "a\n", ended: false });
    expect(read({ follow: true })).toMatchObject({ text: "a\nb\n", ended: true });
  });

  test("follow ends at limitBytes", () => {
    const { print, read } = setUp();
    const seen = read({ follow: true, limitBytes: 3 });
    print("ab\n");
    expect(seen).toMatchObject({ text: "ab\n", ended: true });
    print("cd\n");
    expect(seen.text).toBe("ab\n");
  });

  test("the attempt before is kept as the previous log", () => {
    const { store, print } = setUp();
    print("first\n");
    store.open("uid", "c", () => {});
    expect(
      store
        .find("uid", "c", true)!
        .kept()
        .map((line) => line.text),
    ).toEqual(["first"]);
    expect(store.find("uid", "c", false)!.kept()).toEqual([]);
    store.drop("uid");
    expect(store.find("uid", "c", false)).toBeUndefined();
  });
});

describe("a log whose beginning is gone", () => {
  const full = (): ReturnType<typeof setUp> => {
    const made = setUp();
    for (let i = 0; i < 11; i++) made.print(`${"x".repeat(1024)}\n`.repeat(1024));
    made.clock.advance(60_000);
    made.print("last\n");
    return made;
  };

  test("says so to a client that asks for the beginning", () => {
    const { store, log } = full();
    const warning = (options: Partial<LogOptions>) =>
      store.read(log, { follow: false, previous: false, timestamps: false, ...options }).warning;
    const said = `the first ${log.gone!.lines} lines of this log are gone: a log keeps its last 10 MiB, or less where those of all pods would be more than 256 MiB`;
    expect(warning({})).toBe(said);
    expect(warning({ follow: true })).toBe(said);
    expect(warning({ tailLines: 100_000 })).toBe(said);
    expect(warning({ sinceSeconds: 61 })).toBe(said);
    expect(warning({ tailLines: 100 })).toBeUndefined();
    expect(warning({ sinceSeconds: 30 })).toBeUndefined();
  });

  test("says nothing where nothing is gone", () => {
    const { store, log, print } = setUp();
    print("all\n");
    expect(store.read(log, { follow: false, previous: false, timestamps: false }).warning).toBeUndefined();
  });
});

describe("the logs of all pods together", () => {
  const MIB = 1024 * 1024;
  /** 9 MiB, in lines as long as there are. */
  const fill = (log: ContainerLog): void => {
    for (let i = 0; i < 9; i++) log.append("stdout", `${"x".repeat(MAX_LOG_LINE_LENGTH)}\n`.repeat(64), i);
  };

  test("stay within their limit: those of pods that finished long ago are cut first, and none below its minimum", () => {
    const store = new LogStore(new VirtualClock(START_MS));
    const pods = Array.from({ length: 30 }, (_, i) => `pod-${i}`);
    for (const uid of pods) {
      const log = store.open(uid, "c", () => {});
      fill(log);
      log.end(0);
      store.podFinished(uid);
    }
    const kept = pods.map((uid) => store.find(uid, "c", false)!.bytes);
    expect(kept.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(MAX_NODE_LOG_BYTES);
    expect(kept[0]).toBeGreaterThan(MIN_LOG_BYTES - 2 * MAX_LOG_LINE_LENGTH);
    expect(kept[0]).toBeLessThanOrEqual(MIN_LOG_BYTES);
    expect(kept.at(-1)).toBeGreaterThan(9 * MIB);
    expect(kept).toEqual(kept.toSorted((a, b) => a - b));
  });

  test("are cut where they are written when no pod has finished, and what is dropped makes room", () => {
    const store = new LogStore(new VirtualClock(START_MS));
    const logs = Array.from({ length: 30 }, (_, i) => store.open(`pod-${i}`, "c", () => {}));
    for (const log of logs) fill(log);
    expect(logs.reduce((sum, log) => sum + log.bytes, 0)).toBeLessThanOrEqual(MAX_NODE_LOG_BYTES + 30 * MIN_LOG_BYTES);
    expect(logs.at(-1)!.bytes).toBeLessThanOrEqual(MIN_LOG_BYTES);
    expect(logs.at(-1)!.gone).toBeDefined();
    store.drop("pod-0");
    fill(logs[0]!); // Its pod is gone: it counts no more.
    const late = store.open("pod-late", "c", () => {});
    for (let i = 0; i < 4; i++) late.append("stdout", `${"x".repeat(1023)}\n`.repeat(1024), 0);
    expect(late.bytes).toBeGreaterThan(4 * MIB - MIB / 2);
  });

  test("forget the attempt before the previous one", () => {
    const store = new LogStore(new VirtualClock(START_MS));
    for (let attempt = 0; attempt < 32; attempt++) fill(store.open("uid", "c", () => {}));
    expect(store.find("uid", "c", true)!.gone).toBeUndefined();
    expect(store.find("uid", "c", false)!.gone).toBeUndefined();
  });

  test("are one empty log for all finished pods that printed nothing", () => {
    const store = new LogStore(new VirtualClock(START_MS));
    for (const uid of ["a", "b", "loud"]) {
      const log = store.open(uid, "c", () => {});
      if (uid === "loud") log.append("stdout", "x\n", 0);
      log.end(0);
      store.podFinished(uid);
    }
    const empty = store.find("a", "c", false);
    expect(empty?.kept()).toEqual([]);
    expect(store.find("b", "c", false)).toBe(empty);
    expect(store.find("loud", "c", false)?.lines).toBe(1);
    const again = store.open("a", "c", () => {});
    expect(store.find("a", "c", false)).toBe(again);
    expect(store.find("a", "c", true)).toBe(empty);
    expect(store.find("b", "c", true)).toBeUndefined();
  });
});

describe("terminationMessage", () => {
  const fallback = { terminationMessagePolicy: "FallbackToLogsOnError" } as Container;
  const log = (...lines: string[]) => ({ kept: () => lines.map((text) => ({ timeMs: 0, text })) });
  test.each([
    ["the file", "from file", fallback, 1, log("x"), "from file"],
    ["at most 4096 bytes of the file", "é".repeat(3000), {} as Container, 0, log(), "é".repeat(2048)],
    ["the log on failure", "", fallback, 1, log("a", "b"), "a\nb\n"],
    ["not the log on success", "", fallback, 0, log("a"), undefined],
    ["not the log with policy File", "", { terminationMessagePolicy: "File" } as Container, 1, log("a"), undefined],
    ["no message without a log", "", fallback, 1, log(), undefined],
    [
      "the last 80 lines",
      "",
      fallback,
      1,
      log(...Array.from({ length: 90 }, (_, i) => `${i}`)),
      Array.from({ length: 80 }, (_, i) => `${i + 10}\n`).join(""),
    ],
    ["the last 2048 bytes", "", fallback, 1, log("z".repeat(3000)), `${"z".repeat(2047)}\n`],
  ])("%s", (_name, file, container, exitCode, lines, expected) => {
    expect(terminationMessage(file, container, exitCode, lines)).toBe(expected);
  });
});

test("cuts by bytes never split a character", () => {
  const text = "aé😀b";
  expect([0, 1, 2, 3, 4, 6, 7, 8].map((bytes) => utf8Head(text, bytes))).toEqual([
    "",
    "a",
    "a",
    "aé",
    "aé",
    "aé",
    "aé😀",
    "aé😀b",
  ]);
  expect([0, 1, 2, 4, 5, 6, 7, 8].map((bytes) => utf8Tail(text, bytes))).toEqual([
    "",
    "b",
    "b",
    "b",
    "😀b",
    "😀b",
    "é😀b",
    "aé😀b",
  ]);
});
