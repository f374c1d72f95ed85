/**
 * The WebSocket channels of exec, attach and portforward, as @kubernetes/client-node and the Python client use them,
 * against `stint serve --runtime process`; and requests that are no streams.
 */
import { request as httpsRequest } from "node:https";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { Attach, CoreV1Api, Exec, KubeConfig, PortForward, type V1Status } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { hasBubblewrap } from "../../runtime/bubblewrap-here.ts";
import { type Served, startServe } from "../../serving.ts";

const SHOUTING = `
  require("net").createServer((socket) => socket.once("data", (data) => socket.end(String(data).toUpperCase())))
    .listen(7778, "127.0.0.1", () => process.stdin.on("data", (data) => process.stdout.write("heard " + data)));
`;
const POD = "/api/v1/namespaces/default/pods/p";

let served: Served;
let config: KubeConfig;
beforeAll(async () => {
  await buildModule("engine");
  served = await startServe(["--runtime", "process", ...(hasBubblewrap ? [] : ["--no-isolation"])]);
  config = new KubeConfig();
  config.loadFromFile(served.kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const main = { name: "main", image: "none", command: ["node", "-e", SHOUTING], stdin: true };
  const body = { metadata: { name: "p" }, spec: { restartPolicy: "Never", containers: [main] } };
  await core.createNamespacedPod({ namespace: "default", body });
  while ((await core.readNamespacedPod({ namespace: "default", name: "p" })).status?.phase !== "Running");
});
afterAll(async () => {
  expect(await served.stop()).toBe(0);
});

it("the server runs a command over v5, which can close its input", async () => {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const status = new Promise<V1Status>((resolve) => {
    const input = new PassThrough();
    void new Exec(config).exec("default", "p", "main", ["sh", "-c", "cat; exit 4"], out, err, input, false, resolve);
    input.end("in");
  });
  expect((await status).details?.causes).toEqual([{ reason: "ExitCode", message: "4" }]);
  out.end();
  expect(await text(out)).toBe("in");
});

it("the server runs a command in a terminal that has the size of the window", async () => {
  const out = Object.assign(new PassThrough(), { rows: 43, columns: 132 });
  const command = ["sh", "-c", 'until [ "$(stty size)" = "43 132" ]; do sleep 0.1; done; echo fits'];
  await new Exec(config).exec("default", "p", "main", command, out, null, new PassThrough(), true);
  expect(String((await out[Symbol.asyncIterator]().next()).value)).toBe("fits\r\n");
});

it("the server attaches to what a container reads and prints", async () => {
  const [out, input] = [new PassThrough(), new PassThrough()];
  const socket = await new Attach(config).attach("default", "p", "main", out, null, input, false);
  input.write("you");
  expect(String((await out[Symbol.asyncIterator]().next()).value)).toBe("heard you");
  socket.close();
});

it("the server attaches to a terminal, and tells it the size of the window", async () => {
  const script = 'until [ "$(stty size)" = "43 132" ]; do sleep 0.1; done; echo fits';
  const main = { name: "main", image: "none", command: ["sh", "-c", script], stdin: true, tty: true };
  const body = { metadata: { name: "t" }, spec: { restartPolicy: "Never", containers: [main] } };
  const core = config.makeApiClient(CoreV1Api);
  await core.createNamespacedPod({ namespace: "default", body });
  while ((await core.readNamespacedPod({ namespace: "default", name: "t" })).status?.phase !== "Running");
  const out = Object.assign(new PassThrough(), { rows: 43, columns: 132 });
  const socket = await new Attach(config).attach("default", "t", "main", out, null, new PassThrough(), true);
  expect(String((await out[Symbol.asyncIterator]().next()).value)).toBe("fits\r\n");
  socket.close();
});

it("the server forwards a port in two channels", async () => {
  const [out, err, input] = [new PassThrough(), new PassThrough(), new PassThrough()];
  await new PortForward(config).portForward("default", "p", [7778], out, err, input);
  input.write("hello");
  expect(String((await out[Symbol.asyncIterator]().next()).value)).toBe("HELLO");
});

/** A WebSocket as other clients open it. Resolves with its messages by channel when it is closed. */
function channels(
  query: string,
  protocols: string[],
  headers: Record<string, string> = {},
  opened: (socket: WebSocket) => void = () => {},
): Promise<string[]> {
  const socket = new WebSocket(`wss://127.0.0.1:${served.port}${POD}/${query}`, protocols, {
    ca: Buffer.from(config.getCurrentCluster()!.caData!, "base64"),
    headers: { authorization: `Bearer ${config.getCurrentUser()!.token}`, ...headers },
  });
  opened(socket);
  const texts: string[] = [];
  return new Promise((resolve, reject) => {
    socket.on("message", (data: Buffer) => {
      texts[data[0]!] = (texts[data[0]!] ?? "") + data.subarray(1).toString();
    });
    socket.once("unexpected-response", (_request, response) => {
      void text(response).then((body) => reject(new Error(`${response.statusCode} ${JSON.parse(body).message}`)));
    });
    socket.once("error", reject);
    socket.once("close", () => resolve(texts));
  });
}

it("the server closes the WebSocket when the connection to the port has ended, and when there was none", async () => {
  const opened = (socket: WebSocket): void => void socket.once("open", () => socket.send(Buffer.from("\0hello")));
  const said = await channels("portforward?ports=7778", ["v4.channel.k8s.io"], {}, opened);
  expect(said[0]!.slice(2)).toBe("HELLO");
  const refused = await channels("portforward?ports=1", ["v4.channel.k8s.io"]);
  expect(refused[1]!.slice(2)).toContain("connection refused");
});

it("the server takes its own address as an origin, which the Python client sends, and no other", async () => {
  const query = "exec?command=echo&command=hi&stdout=true";
  const own = { origin: `https://127.0.0.1:${served.port}` };
  const [, out, , status] = await channels(query, ["v4.channel.k8s.io"], own);
  expect([out, JSON.parse(status!)]).toEqual(["hi\n", { metadata: {}, status: "Success" }]);
  await expect(channels(query, ["v4.channel.k8s.io"], { origin: "https://example.com" })).rejects.toThrow(
    '403 the request comes from the web page "https://example.com"; web pages are not served',
  );
});

it("the server runs a command for a client that likes objects in another form", async () => {
  const query = "exec?command=echo&command=hi&stdout=true";
  for (const accept of ["application/vnd.kubernetes.protobuf", "application/json;as=Table;v=v1;g=meta.k8s.io"])
    expect((await channels(query, ["v5.channel.k8s.io"], { accept }))[1]).toBe("hi\n");
});

it.each(["true", "True", "TRUE", "1", "t", "yes", ""])("the server takes the flag %j for true", async (value) => {
  const [, out] = await channels(`exec?command=echo&command=hi&stdout=${value}`, ["v4.channel.k8s.io"]);
  expect(out).toBe("hi\n");
});

it.each(["0", "false", "False", "0&stdout=true"])("the server takes the flag %j for false", async (value) => {
  await expect(channels(`exec?command=echo&stdout=${value}`, ["v4.channel.k8s.io"])).rejects.toThrow(
    "400 you must specify at least 1 of stdin, stdout, stderr",
  );
});

it("the server refuses what it does not speak, and what asks for nothing", async () => {
  const v5 = ["v5.channel.k8s.io"];
  await expect(channels("exec?command=ls&stdout=true", ["v3.channel.k8s.io"])).rejects.toThrow(
    "403 unable to upgrade: the client speaks v3.channel.k8s.io; known here is v5.channel.k8s.io and v4.channel.k8s.io",
  );
  await expect(channels("exec?command=ls", v5)).rejects.toThrow(
    "400 you must specify at least 1 of stdin, stdout, stderr",
  );
  await expect(channels("exec?stdout=true", v5)).rejects.toThrow("400 you must specify a command");
  await expect(channels("portforward?ports=99999", ["v4.channel.k8s.io"])).rejects.toThrow(
    '400 query parameter "ports"',
  );
  await expect(channels(`portforward?ports=${"80,".repeat(128)}80`, ["v4.channel.k8s.io"])).rejects.toThrow(
    '400 query parameter "ports" is required: up to 128',
  );
  await expect(channels("exec?command=ls&stdout=true", v5, { authorization: "Bearer none" })).rejects.toThrow("401");
});

it("the server says as an answer of HTTP that another protocol is needed", async () => {
  const { caData } = config.getCurrentCluster()!;
  const answer = await new Promise<string>((resolve, reject) => {
    const asked = httpsRequest(
      `https://127.0.0.1:${served.port}${POD}/exec?command=ls&stdout=true`,
      { ca: Buffer.from(caData!, "base64"), headers: { authorization: `Bearer ${config.getCurrentUser()!.token}` } },
      (response) => void text(response).then(resolve, reject),
    );
    asked.once("error", reject).end();
  });
  expect(JSON.parse(answer)).toMatchObject({ code: 400, message: "Upgrade request required" });
});
