/** Connections that do not behave: what they send, drawn from the seed and their number, and when they go. */
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { Chance } from "../../simulation/chance.ts";
import { drawRequest, type HttpRequest } from "./requests.ts";
import { TOKEN, type WireServer } from "./wire-worker.ts";

export interface WireInput {
  readonly what: string;
  /** How many connections do this at once. */
  readonly times: number;
  readonly isTls: boolean;
  readonly chunks: readonly Buffer[];
  /**
   * The connection is cut at once when all is sent; else when the server has answered, closed, or said nothing for a
   * moment.
   */
  readonly isHasty: boolean;
}

/** Long enough for an answer; most come in a millisecond. */
const PATIENCE_MS = 200;

type Make = (
  chance: Chance,
  index: number,
  head: (line: string, more?: string) => string,
) => Omit<WireInput, "what" | "isHasty" | "isTls">;

const KINDS: readonly {
  readonly what: string;
  readonly weight: number;
  readonly isTls?: false;
  readonly make: Make;
}[] = [
  { what: "silence", weight: 2, isTls: false, make: (chance) => ({ times: chance.pick([1, 20, 300]), chunks: [] }) },
  {
    what: "no TLS",
    weight: 1,
    isTls: false,
    make: () => ({ times: 5, chunks: [Buffer.from("GET / HTTP/1.1\r\n\r\n")] }),
  },
  {
    what: "no HTTP",
    weight: 2,
    make: (chance) => ({
      times: 1,
      chunks: [Buffer.alloc(chance.pick([10, 100_000]), chance.pick(["\0", "x", "\r\n", "GET "]))],
    }),
  },
  {
    what: "half a head",
    weight: 2,
    make: (chance, _index, head) => ({
      times: chance.pick([1, 10]),
      chunks: [Buffer.from(head("GET /api")).subarray(0, chance.integer(1, 60))],
    }),
  },
  {
    what: "long head",
    weight: 3,
    make: (chance, _index, head) => ({
      times: 1,
      chunks: [
        Buffer.from(
          head(
            `GET /api?${"y".repeat(chance.pick([10, 20_000, 200_000]))}`,
            `x: ${"y".repeat(chance.pick([10, 100_000, 1_000_000]))}\r\n`,
          ),
        ),
      ],
    }),
  },
  {
    what: "long body",
    weight: 3,
    make: (chance, _index, head) => ({
      times: 1,
      chunks: [
        Buffer.from(
          head(
            "POST /api/v1/namespaces/default/configmaps",
            `content-length: ${chance.pick([4, 3_000_000, 20_000_000])}\r\n`,
          ),
        ),
        Buffer.alloc(chance.pick([4, 3_000_000, 8_000_000]), " "),
      ],
    }),
  },
  {
    what: "odd lengths",
    weight: 3,
    make: (chance, _index, head) => ({
      times: 1,
      chunks: [
        Buffer.from(
          head(
            "POST /api/v1/namespaces",
            chance.pick([
              "content-length: -1\r\n",
              "content-length: 1\r\ncontent-length: 2\r\n",
              "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
              "transfer-encoding: x\r\n",
              "expect: 100-continue\r\ncontent-length: 2\r\n",
              "upgrade: websocket\r\nconnection: upgrade\r\n",
            ]),
          ),
        ),
        Buffer.from(chance.pick(["", "{}", "ffffffff\r\n", "5\r\n{}", "0\r\n\r\n"])),
      ],
    }),
  },
  {
    what: "many requests at once",
    weight: 2,
    make: (chance, _index, head) => ({
      times: 1,
      chunks: [Buffer.from(head("GET /api/v1/pods").repeat(chance.pick([2, 300])))],
    }),
  },
  {
    what: "watches",
    weight: 2,
    make: (chance, _index, head) => ({
      times: chance.pick([1, 40]),
      chunks: [Buffer.from(head("GET /api/v1/pods?watch=1"))],
    }),
  },
  {
    what: "no token",
    weight: 1,
    make: () => ({
      times: 10,
      chunks: [Buffer.from("POST /api/v1/namespaces HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000\r\n\r\n")],
    }),
  },
  { what: "request", weight: 6, make: (_chance, index, head) => ({ times: 1, chunks: [written(index, head)] }) },
];

/** @param port of the server, which requests name */
export function drawWireInput(seed: number, index: number, port: number): WireInput {
  const chance = new Chance(seed, `connection ${index}`);
  const kind = chance.weighted(KINDS);
  const head = (line: string, more = ""): string =>
    `${line} HTTP/1.1\r\nhost: localhost:${port}\r\nauthorization: Bearer ${TOKEN}\r\n${more}\r\n`;
  return {
    what: kind.what,
    isTls: kind.isTls ?? true,
    isHasty: chance.isHit(0.2),
    ...kind.make(chance, seed * 1_000 + index, head),
  };
}

function written(index: number, head: (line: string, more?: string) => string): Buffer {
  const { method, path, headers, body }: HttpRequest = drawRequest(index, index);
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  return Buffer.concat([
    Buffer.from(head(`${method} ${encodeURI(path)}`, `${lines}content-length: ${body.length}\r\n`)),
    body,
  ]);
}

/** Does what an input says, on all its connections. */
export async function playWireInput(input: WireInput, server: WireServer): Promise<void> {
  await Promise.all(Array.from({ length: input.times }, () => playOne(input, server)));
}

function playOne({ isTls, chunks, isHasty }: WireInput, { port, authority }: WireServer): Promise<void> {
  return new Promise((resolve) => {
    const begin = (): void => {
      for (const chunk of chunks) socket.write(chunk);
      if (isHasty) socket.end(() => socket.destroy());
    };
    const socket: Socket = isTls
      ? connectTls({ host: "127.0.0.1", port, ca: authority, servername: "localhost" }, begin)
      : connectTcp({ host: "127.0.0.1", port }, begin);
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket
      .on("error", () => {})
      .on("close", () => resolve())
      .on("data", () => {});
  });
}
