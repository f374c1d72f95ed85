/**
 * Pages of a list, and lists of an old version, of which the history is gone: what a server answers before and after it
 * has dropped what is older. How that comes about is up to each server. Leaves out watches: the real server's know more
 * than its store does.
 */
import { type Ask, Memory, send, type Server } from "../ask.ts";
import { type Comparable, comparable, recorded } from "../comparable.ts";

const NAMESPACE = "compaction";
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
/** The history of upstream is dropped two intervals later. */
const DEADLINE_MS = 60_000;

const get = (path: string, accept?: string): Ask => ({ method: "GET", path, ...(accept !== undefined && { accept }) });
const post = (path: string, body: Ask["body"]): Ask => ({ method: "POST", path, body: body! });

const BEFORE: readonly Ask[] = [
  post("/api/v1/namespaces", { metadata: { name: NAMESPACE } }),
  ...["a", "b", "c", "d"].map((name) => post(MAPS, { metadata: { name } })),
  get(`${MAPS}?limit=1`),
];

const CHANGES: readonly Ask[] = [
  { method: "PATCH", path: `${MAPS}/b`, type: "application/merge-patch+json", body: { data: { x: "1" } } },
  { method: "DELETE", path: `${MAPS}/c` },
  post(MAPS, { metadata: { name: "e" } }),
];

/** In these `<continue>` is that of the answer before. */
const AFTER: readonly Ask[] = [
  get(`${MAPS}?limit=1&continue=<continue>`),
  get(`${MAPS}?limit=1&continue=<continue>`),
  get(`${MAPS}?limit=1&continue=<continue>`),
  get(`${MAPS}?continue=<continue>`),
  get(`${MAPS}?resourceVersion=<rv0:a>&resourceVersionMatch=Exact`),
  get(`${MAPS}?resourceVersion=<rv0:a>&resourceVersionMatch=Exact`, TABLE),
  get(`${MAPS}?resourceVersion=<rv0:a>&limit=1`),
  get(`${MAPS}?resourceVersion=<rv0:a>&resourceVersionMatch=NotOlderThan`),
  get(`${MAPS}/a?resourceVersion=<rv0:a>`),
];

/** @param forget makes the server forget what it knew before; it is asked until it has */
export async function play(server: Server, forget: () => Promise<unknown>): Promise<Comparable[]> {
  const memory = new Memory(NAMESPACE);
  const answers: Comparable[] = [];
  const ask = async (asked: Ask): Promise<void> => {
    const answer = await send(server, asked, memory);
    memory.learn(JSON.parse(answer.body.toString()));
    answers.push(comparable(answer));
  };
  for (const asked of [...BEFORE, ...CHANGES]) await ask(asked);
  const old = get(`${MAPS}?limit=1&continue=<continue>`);
  const end = Date.now() + DEADLINE_MS;
  while ((await send(server, old, memory)).status !== 410) {
    if (Date.now() > end) throw new Error(`after ${DEADLINE_MS} ms the server still knows the first page's version`);
    await forget();
  }
  for (const asked of AFTER) await ask(asked);
  return recorded(answers.map(withoutSlash));
}

/** The real server writes the name to continue from with a slash before it, or without. */
function withoutSlash(answer: Comparable): Comparable {
  return { ...answer, body: answer.body.replace("'start':'/", "'start':'") };
}
