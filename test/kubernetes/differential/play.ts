/** Plays a sequence of requests on two servers, finds what they answer differently, and makes the sequence shorter. */
import { type Ask, Memory, send, type Server } from "./ask.ts";
import { type Comparable, comparable, Correspondence } from "./comparable.ts";

export interface Sequence {
  readonly name: string;
  readonly asks: readonly Ask[];
}

export interface Servers {
  readonly real: Server;
  readonly own: Server;
}

/** A request that the servers answered differently. */
export interface Difference {
  readonly sequence: string;
  readonly ask: Ask;
  readonly index: number;
  readonly real: Comparable;
  readonly own: Comparable;
}

/** What one server answers to a sequence, in a separate namespace. */
export async function answersOf(server: Server, { asks }: Sequence, namespace: string): Promise<Comparable[]> {
  const memory = new Memory(namespace);
  await send(server, { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } }, memory);
  const answers: Comparable[] = [];
  for (const ask of asks) {
    const answer = await send(server, ask, memory);
    if (String(answer.headers["content-type"]).startsWith("application/json") && !ask.path.includes("dryRun"))
      memory.learn(parsed(answer.body));
    answers.push(comparable(answer));
  }
  return answers;
}

/** A watch answers several lines, of which none is an object to remember. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

export async function differences(servers: Servers, sequence: Sequence, namespace: string): Promise<Difference[]> {
  const [real, own] = await Promise.all([
    answersOf(servers.real, sequence, namespace),
    answersOf(servers.own, sequence, namespace),
  ]);
  const correspondence = new Correspondence();
  return sequence.asks.flatMap((ask, index) => {
    const [theirs, ours] = [real[index]!, own[index]!];
    return correspondence.same(theirs, ours) ? [] : [{ sequence: sequence.name, ask, index, real: theirs, own: ours }];
  });
}

/**
 * The shortest sequence that still shows a difference at its end, as far as leaving out one request after another goes.
 * @param last the index of the request that showed it
 */
export async function shortened(
  { name, asks }: Sequence,
  last: number,
  stillDiffers: (shorter: Sequence) => Promise<boolean>,
): Promise<Sequence> {
  let kept: Sequence = { name, asks: asks.slice(0, last + 1) };
  for (let place = last - 1; place >= 0; place--) {
    const shorter = { name, asks: kept.asks.toSpliced(place, 1) };
    if (await stillDiffers(shorter)) kept = shorter;
  }
  return kept;
}
