/**
 * Connections to a real server. Behind each a client with the token must be answered: that is the promise. How long the
 * server's event loop was kept is real time, in which other programs count too, so it is only told.
 */
import { request as httpsRequest } from "node:https";
import { Worker } from "node:worker_threads";
import { drawWireInput, playWireInput } from "./wire.ts";
import { TOKEN, type WireDelay, type WireServer } from "./wire-worker.ts";

const MAX_ANSWER_MS = 30_000;

/** @returns whether the server answered behind each of them */
export async function runWire(seed: number, connections: number): Promise<boolean> {
  const worker = new Worker(new URL("wire-worker.ts", import.meta.url));
  const ended = new Promise<never>((_resolve, reject) =>
    worker.on("error", (error) => reject(new Error(`the server has ended: ${error.stack ?? error.message}`))),
  );
  const next = <Message>(): Promise<Message> =>
    Promise.race([ended, new Promise<Message>((resolve) => worker.once("message", resolve))]);
  let worst = { delayMs: 0, what: "nothing", index: 0 };
  let index = 0;
  try {
    const server = await next<WireServer>();
    for (; index < connections; index++) {
      const input = drawWireInput(seed, index, server.port);
      await Promise.race([ended, playWireInput(input, server)]);
      const status = await Promise.race([ended, statusOf(server)]);
      if (status !== 200) throw new Error(`behind "${input.what}" a client with the token was answered ${status}`);
      const answer = next<WireDelay>();
      worker.postMessage(undefined);
      const { delayMs } = await answer;
      if (delayMs > worst.delayMs) worst = { delayMs, what: input.what, index };
    }
    console.log(
      `${connections} connections of seed ${seed}: all borne; longest delay of the event loop: ${worst.delayMs.toFixed(0)} ms (${worst.what}, number ${worst.index})`,
    );
    return true;
  } catch (error) {
    console.log(
      `connection ${index} of seed ${seed} fails: ${(error as Error).message}\nto see it again:\n  npm run fuzz -- --inputs 0 --requests 0 --seed ${seed} --connections ${index + 1}`,
    );
    return false;
  } finally {
    await worker.terminate();
  }
}

function statusOf({ port, authority }: WireServer): Promise<number> {
  return new Promise((resolve, reject) => {
    httpsRequest(
      {
        host: "127.0.0.1",
        port,
        ca: authority,
        servername: "localhost",
        path: "/api/v1/namespaces/default",
        headers: { authorization: `Bearer ${TOKEN}` },
        agent: false,
        timeout: MAX_ANSWER_MS,
      },
      (response) => resolve(response.resume().statusCode!),
    )
      .on("timeout", () => reject(new Error(`a client with the token had no answer in ${MAX_ANSWER_MS / 1000} s`)))
      .on("error", (error) => reject(new Error(`a client with the token had no answer: ${error.message}`)))
      .end();
  });
}
