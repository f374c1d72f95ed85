/** When `stint why --watch` prints, when it ends, and how often it asks. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../cluster/time/clock.ts";
import type { Told } from "../../../../host-node/cli/why/told.ts";
import { essenceOf, watchAnswers } from "../../../../host-node/cli/why/watch.ts";
import { UsageError } from "../../../../host-node/usage-error.ts";
import { RecordingConsole } from "../recording-console.ts";

const answer = (state: string, more: object = {}): Told => ({
  json: { state, ...more },
  lines: [state],
  hasEnded: state === "Complete",
});

/** Watches these answers, one a question; the last one is given again and again. */
function watching(answers: readonly (Told | UsageError)[]) {
  const clock = new VirtualClock(0);
  const console = new RecordingConsole("/");
  const askedMs: number[] = [];
  const printed: object[] = [];
  const status = watchAnswers({
    ask: async () => {
      const next = answers[Math.min(askedMs.push(clock.now()), answers.length) - 1]!;
      if (next instanceof UsageError) throw next;
      return next;
    },
    print: ({ json, lines }) => {
      printed.push(json);
      return lines === undefined ? 2 : 0;
    },
    clock,
    console,
  });
  status.catch(() => {});
  const passSeconds = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds * 4; i++) {
      await new Promise(setImmediate);
      clock.advance(250);
    }
    await new Promise(setImmediate);
  };
  return { console, askedMs, printed, status, passSeconds };
}

describe("watchAnswers", () => {
  it("prints an answer that says something else, until there is nothing more to say", async () => {
    const { printed, status, passSeconds } = watching([
      answer("Waiting", { sentence: "waiting 7 s before the next pod" }),
      answer("Waiting", { sentence: "waiting 5 s before the next pod" }),
      answer("Running"),
      answer("Complete"),
      answer("Waiting"),
    ]);
    await passSeconds(20);
    expect(await status).toBe(0);
    expect(printed.map((json: any) => json.state)).toEqual(["Waiting", "Running", "Complete"]);
  });

  it("asks less often while nothing changes", async () => {
    const { askedMs, passSeconds, console, status } = watching([answer("Waiting")]);
    await passSeconds(120);
    const pauses = askedMs.slice(1).map((atMs, i) => atMs - askedMs[i]!);
    expect(pauses[0]).toBe(2_000);
    expect(pauses.at(-1)).toBe(10_000);
    console.send("SIGINT");
    expect(await status).toBe(0);
  });

  it("ends at once by a signal, and when its reader has gone", async () => {
    const interrupted = watching([answer("Waiting")]);
    await interrupted.passSeconds(1);
    interrupted.console.send("SIGINT");
    expect(await interrupted.status).toBe(0);
    expect(interrupted.askedMs).toHaveLength(1);
    const closed = watching([answer("Waiting")]);
    await closed.passSeconds(1);
    closed.console.closeOutput();
    expect(await closed.status).toBe(141);
  });

  it("ends when the object is gone", async () => {
    const gone: Told = { json: { found: false }, lines: undefined, problem: "there is no Job", hasEnded: false };
    const { status, passSeconds } = watching([answer("Waiting"), gone]);
    await passSeconds(5);
    expect(await status).toBe(2);
  });

  it("asks on when the server cannot be reached for a while, and says so once", async () => {
    const problem = new UsageError("no server listens at https://s.\nStart it again.");
    const answers = [answer("Waiting"), problem, problem, problem, answer("Complete")];
    const { console, askedMs, status, passSeconds } = watching(answers);
    await passSeconds(60);
    expect(await status).toBe(0);
    expect(console.err).toBe("stint: no server listens at https://s. It is asked again.\n");
    expect(askedMs).toEqual([0, 2_000, 6_000, 14_000, 30_000]);
    await expect(watching([problem]).status).rejects.toThrow(problem);
  });
});

describe("essenceOf", () => {
  it("leaves out how long something lasts, and how often a Warning was repeated", () => {
    const of = (seconds: number, count: number): string =>
      essenceOf({
        json: {
          sentence: `waiting ${seconds} min 20 s since 10:00:00`,
          numbers: { remainingMs: seconds },
          events: [{ object: "pod/a", reason: "Failed", message: "no", count, lastMs: count }],
        },
      });
    expect(of(2, 1)).toBe(of(3, 4));
    expect(of(2, 1)).toContain("since 10:00:00");
    expect(of(2, 1)).toContain("pod/a Failed: no");
  });
});
