/** Whether an API server honours a shard: its lists alone say so, and it is asked until it answers. */
import { describe, expect, it } from "vitest";
import type { ApiRequest, ApiResponse, Transport } from "../../../bindings/js/host.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { checkShard, type ShardVerdict } from "../../../host-node/controller/shard-check.ts";
import { sourcesOf } from "../../../host-node/controller/sources.ts";

const SHARD = { index: 0, count: 2 };
const SELECTOR = "shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000')";
const SOURCES = sourcesOf({ namespaces: [], allPods: false, gangScheduling: false, shard: SHARD });
const json = (status: number, body: object): ApiResponse => ({ status, headers: {}, body: JSON.stringify(body) });
const list = (selector?: string): ApiResponse =>
  json(200, { metadata: selector === undefined ? {} : { shardInfo: { selector } }, items: [] });
const REMEDY =
  "Lists and watches in shards need Kubernetes 1.36 or newer with the feature gate ShardedListAndWatch, which is off by default before 1.38. Turn it on at every API server, or run one controller without shards";

interface Checked {
  readonly verdict: ShardVerdict | undefined;
  readonly asked: readonly ApiRequest[];
  readonly problems: readonly string[];
}

/** What is made of a server with these answers, in their order. It is over after so many questions. */
async function check(answers: readonly ApiResponse[], questions = Infinity): Promise<Checked> {
  const asked: ApiRequest[] = [];
  const problems: string[] = [];
  const clock = new VirtualClock(0);
  const transport = {
    send: (request: ApiRequest, done: (response: ApiResponse) => void) => {
      asked.push(request);
      done(answers[asked.length - 1]!);
      setImmediate(() => clock.advance(10_000));
    },
  } as unknown as Transport;
  const verdict = await checkShard({
    transport,
    clock,
    userAgent: "stint/0",
    shard: SHARD,
    sources: SOURCES,
    isOver: () => asked.length >= questions,
    onProblem: (problem) => problems.push(problem),
  });
  return { verdict, asked, problems };
}

describe("a server that is asked for a shard", () => {
  it("honours it if each of its lists repeats the selector", async () => {
    const { verdict, asked, problems } = await check([list(SELECTOR), list(SELECTOR)]);
    expect(verdict).toEqual({ isHonoured: true });
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual(
      SOURCES.map(({ path }) => `GET ${path}&limit=1`),
    );
    expect(problems).toEqual([]);
  });

  it.each<[string, readonly ApiResponse[], string]>([
    [
      "no list does",
      [list()],
      `asked for the jobs of shard 0 of 2 (shardSelector=${SELECTOR}), the API server ignores the selector and answers with all of them`,
    ],
    [
      "one of its lists does not",
      [list(SELECTOR), list()],
      `asked for the pods of shard 0 of 2 (shardSelector=${SELECTOR}), the API server ignores the selector and answers with all of them`,
    ],
    [
      "a list repeats another selector",
      [list("shardRange(object.metadata.uid, '0x0', '0x1')")],
      `asked for the jobs of shard 0 of 2 (shardSelector=${SELECTOR}), the API server answers with those of shardRange(object.metadata.uid, '0x0', '0x1')`,
    ],
  ])("does not if %s", async (_what, answers, problem) => {
    const { verdict } = await check(answers);
    expect(verdict).toEqual({ isHonoured: false, problem: `${problem}. ${REMEDY}` });
  });

  it("is asked again while it gives no answer, or refuses", async () => {
    const { verdict, asked, problems } = await check([
      { status: 0, headers: {}, body: "" },
      json(403, { kind: "Status", message: "jobs is forbidden" }),
      list(SELECTOR),
      json(503, {}),
      list(SELECTOR),
    ]);
    expect(verdict).toEqual({ isHonoured: true });
    expect(asked).toHaveLength(5);
    expect(problems).toEqual([
      "the API server does not say whether the jobs come in shards (403: jobs is forbidden)",
      "the API server does not say whether the pods come in shards (503)",
    ]);
  });

  it.each<[string, ApiResponse]>([
    ["there is an answer", json(503, {})],
    ["the answer comes", list()],
  ])("has no verdict when it is over before %s", async (_what, last) => {
    expect((await check([list(SELECTOR), last], 2)).verdict).toBeUndefined();
  });
});
