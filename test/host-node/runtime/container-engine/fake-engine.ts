/**
 * An engine that is none: it answers on a socket as Docker's API is documented, and runs the commands of containers as
 * processes of this machine. So its containers have no images' files, users, volumes and networks.
 *
 * It is strict: a path, a parameter or a field of a body that it does not know is refused with a sentence that names
 * it, and counts as a fault of its client (`faults`). A container on whose network another one depends is not
 * removed before that one, as Podman has it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect as connectSocket, type Socket } from "node:net";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

const CONTAINER_FIELDS = [
  ...["Image", "Entrypoint", "Cmd", "Env", "WorkingDir", "User", "Hostname", "Tty", "OpenStdin", "StdinOnce"],
  ...["Labels", "HostConfig"],
];
const HOST_FIELDS = [
  ...["NetworkMode", "IpcMode", "PidMode", "Mounts", "ReadonlyRootfs", "Privileged", "CapAdd", "CapDrop"],
  ...["SecurityOpt", "GroupAdd", "LogConfig", "Memory", "MemorySwap", "NanoCpus", "CpuShares", "Dns", "DnsSearch"],
  ...["DnsOptions", "ExtraHosts"],
];
const MOUNT_FIELDS = ["Type", "Source", "Target", "ReadOnly", "VolumeOptions"];
const EXEC_FIELDS = ["AttachStdin", "AttachStdout", "AttachStderr", "Tty", "Cmd"];
const VOLUME_FIELDS = ["Name", "Driver", "DriverOpts", "Labels"];

export interface FakeImage {
  readonly config: Readonly<Record<string, any>>;
  /** The password of the user `puller`; undefined: everybody may pull. */
  readonly password?: string;
}

export interface FakeEngineOptions {
  /** What its registry has, by name. */
  readonly images: Readonly<Record<string, FakeImage>>;
  /** The version of the API; 1.41 unless given. */
  readonly apiVersion?: string;
  /** What it says of itself. */
  readonly info?: object;
}

interface Container {
  readonly id: string;
  readonly name: string;
  readonly body: any;
  readonly watchers: Socket[];
  readonly waiting: (() => void)[];
  process: ChildProcess | undefined;
  state: "created" | "running" | "exited";
  exitCode: number;
}

interface Exec {
  readonly words: readonly string[];
  process?: ChildProcess;
  exitCode: number;
}

/** An answer that refuses. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Parameters = Readonly<Record<string, string>>;
type Answer = object | readonly object[] | undefined;
type Route = (
  match: readonly string[],
  query: Parameters,
  body: any,
  request: IncomingMessage,
) => Answer | Promise<Answer>;

export class FakeEngine {
  readonly socketPath: string;
  /** What was asked that no engine understands. */
  readonly faults: string[] = [];
  /** Every request, as `POST /containers/create`. */
  readonly requests: string[] = [];
  /** The bodies of the containers that were created, the oldest first. */
  readonly created: any[] = [];
  readonly #options: FakeEngineOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), "fake-engine-"));
  readonly #server = createServer((request, answer) => void this.#answer(request, answer));
  readonly #images = new Map<string, { readonly id: string; readonly config: any; readonly tag: string }>();
  readonly #containers = new Map<string, Container>();
  readonly #volumes = new Map<string, any>();
  readonly #execs = new Map<string, Exec>();
  readonly #sockets = new Set<Socket>();
  readonly #routes: readonly [method: string, path: RegExp, parameters: readonly string[], route: Route][];
  #made = 0;

  constructor(options: FakeEngineOptions) {
    this.#options = options;
    this.socketPath = join(this.#folder, "engine.sock");
    this.#server.on("connection", (socket: Socket) => this.#sockets.add(socket));
    this.#server.on("upgrade", (request, socket: Socket, first: Buffer) => {
      if (first.length > 0) socket.unshift(first);
      this.#upgrade(request, socket);
    });
    this.#routes = [
      [
        "GET",
        /^\/version$/,
        [],
        () => ({ Version: "0.fake", ApiVersion: options.apiVersion ?? "1.41", Arch: "amd64" }),
      ],
      ["GET", /^\/info$/, [], () => options.info ?? { CgroupDriver: "cgroupfs", CgroupVersion: "2" }],
      ["GET", /^\/images\/json$/, [], () => this.#listImages()],
      ["GET", /^\/images\/(.+)\/json$/, [], ([name]) => this.#inspectImage(name!)],
      [
        "POST",
        /^\/images\/create$/,
        ["fromSrc", "repo", "platform", "fromImage", "tag"],
        (_path, query, _body, request) =>
          query["fromSrc"] === undefined ? this.#pull(query, request) : this.#import(query),
      ],
      ["GET", /^\/containers\/json$/, ["all", "filters"], (_path, query) => this.#listContainers(query)],
      ["POST", /^\/containers\/create$/, ["name"], (_path, query, body) => this.#create(query["name"]!, body)],
      ["POST", /^\/containers\/([^/]+)\/start$/, [], ([id]) => this.#start(this.#container(id!))],
      ["POST", /^\/containers\/([^/]+)\/wait$/, [], ([id]) => this.#wait(this.#container(id!))],
      [
        "POST",
        /^\/containers\/([^/]+)\/kill$/,
        ["signal"],
        ([id], { signal }) => this.#kill(this.#container(id!), signal!),
      ],
      ["GET", /^\/containers\/([^/]+)\/json$/, [], ([id]) => this.#inspect(this.#container(id!))],
      ["GET", /^\/containers\/([^/]+)\/stats$/, ["stream", "one-shot"], ([id]) => this.#stats(this.#container(id!))],
      ["PUT", /^\/containers\/([^/]+)\/archive$/, ["path"], ([id]) => void this.#container(id!)],
      ["DELETE", /^\/containers\/([^/]+)$/, ["force", "v"], ([id]) => this.#remove(this.#container(id!))],
      ["POST", /^\/containers\/([^/]+)\/exec$/, [], ([id], _query, body) => this.#exec(this.#container(id!), body)],
      ["GET", /^\/exec\/([^/]+)\/json$/, [], ([id]) => this.#inspectExec(id!)],
      [
        "GET",
        /^\/volumes$/,
        ["filters"],
        (_path, query) => ({ Volumes: [...this.#volumes.values()].filter(labelled(query)) }),
      ],
      ["POST", /^\/volumes\/create$/, [], (_path, _query, body) => this.#makeVolume(body)],
      ["DELETE", /^\/volumes\/([^/]+)$/, [], ([name]) => this.#removeVolume(name!)],
    ];
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(this.socketPath, resolve));
  }

  async close(): Promise<void> {
    for (const { process } of [...this.#containers.values(), ...this.#execs.values()]) process?.kill("SIGKILL");
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #answer(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { path, query } = this.#read(request);
    try {
      const bytes = await bodyOf(request);
      const isJson = request.headers["content-type"] === "application/json";
      const body = isJson ? JSON.parse(bytes.toString()) : bytes;
      const found = this.#routes.find(([method, pattern]) => method === request.method && pattern.test(path));
      if (found === undefined) throw this.#fault(`${request.method} ${path}: there is no such path`);
      const [, pattern, parameters, route] = found;
      for (const name of Object.keys(query))
        if (!parameters.includes(name)) throw this.#fault(`${path}: parameter ${name} is not known`);
      const result = await route(pattern.exec(path)!.slice(1).map(decodeURIComponent), query, body, request);
      answer.writeHead(result === undefined ? 204 : 200, { "content-type": "application/json" });
      // Lists of lines are those of a pull.
      if (result instanceof Lines) answer.end(result.lines.map((line) => `${JSON.stringify(line)}\r\n`).join(""));
      else answer.end(result === undefined ? undefined : JSON.stringify(result));
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 500;
      answer.writeHead(status, { "content-type": "application/json" });
      answer.end(JSON.stringify({ message: (error as Error).message }));
    }
  }

  #read(request: IncomingMessage): { path: string; query: Parameters } {
    const url = new URL(request.url!, "http://localhost");
    const path = url.pathname.replace(/^\/v1\.\d+(?=\/)/, "");
    this.requests.push(`${request.method} ${path}`);
    return { path, query: Object.fromEntries(url.searchParams) };
  }

  #fault(message: string): Refusal {
    this.faults.push(message);
    return new Refusal(400, message);
  }

  #checkFields(where: string, given: object, known: readonly string[]): void {
    for (const field of Object.keys(given))
      if (!known.includes(field)) throw this.#fault(`${where}: field ${field} is not known`);
  }

  #listImages(): object[] {
    return [...this.#images.values()].map(({ id, tag }) => ({ Id: id, RepoTags: [tag] }));
  }

  #inspectImage(name: string): object {
    const image = this.#images.get(name);
    if (image === undefined) throw new Refusal(404, `No such image: ${name}`);
    return { Id: image.id, Size: 1_000_000, Config: image.config };
  }

  #import({ repo }: Parameters): object {
    const id = this.#newId("sha256:");
    this.#images.set(id, { id, config: {}, tag: `${repo}:latest` });
    return { status: id };
  }

  #pull({ fromImage, tag }: Parameters, { headers }: IncomingMessage): Lines {
    const name = `${fromImage}:${tag}`;
    const image = this.#options.images[name];
    if (image === undefined)
      throw new Refusal(404, `manifest for ${name} not found: manifest unknown: manifest unknown`);
    const given = JSON.parse(Buffer.from(String(headers["x-registry-auth"] ?? "e30"), "base64url").toString());
    if (image.password !== undefined && given.password !== image.password)
      return new Lines([{ errorDetail: { message: "no basic auth credentials" }, error: "no basic auth credentials" }]);
    const known = this.#images.get(name);
    if (known === undefined) this.#images.set(name, { id: this.#newId("sha256:"), config: image.config, tag: name });
    const progressDetail = { current: 500_000, total: 1_000_000 };
    return new Lines([
      { status: `Pulling from ${fromImage}`, id: tag },
      { status: "Downloading", progressDetail, id: "layer" },
      { status: `Status: Downloaded newer image for ${name}` },
    ]);
  }

  #create(name: string, body: any): object {
    this.#checkFields("the container", body, CONTAINER_FIELDS);
    this.#checkFields("HostConfig", body.HostConfig, HOST_FIELDS);
    for (const mount of body.HostConfig.Mounts ?? []) {
      this.#checkFields("Mounts", mount, MOUNT_FIELDS);
      if (mount.Type === "volume" && !this.#volumes.has(mount.Source))
        throw new Refusal(404, `no such volume: ${mount.Source}`);
    }
    if (![...this.#images.values()].some(({ id }) => id === body.Image))
      throw new Refusal(404, `No such image: ${body.Image}`);
    const [, network] = /^container:(.*)$/.exec(body.HostConfig.NetworkMode ?? "") ?? [];
    if (network !== undefined && this.#container(network).state !== "running")
      throw new Refusal(409, `container ${network} is not running`);
    if ([...this.#containers.values()].some((container) => container.name === name))
      throw new Refusal(409, `Conflict. The container name "/${name}" is already in use`);
    const id = this.#newId("");
    this.created.push(body);
    this.#containers.set(id, {
      id,
      name,
      body,
      watchers: [],
      waiting: [],
      process: undefined,
      state: "created",
      exitCode: 0,
    });
    return { Id: id, Warnings: [] };
  }

  #start(container: Container): undefined {
    const { body } = container;
    const image = [...this.#images.values()].find(({ id }) => id === body.Image)!;
    container.state = "running";
    const words: string[] = [...(body.Entrypoint ?? []), ...(body.Cmd ?? [])];
    if (words[0] === "/pause") return;
    if (words[0] !== "/bin/sh") {
      container.state = "exited";
      throw new Refusal(400, `exec: ${JSON.stringify(words[0])}: stat ${words[0]}: no such file or directory: unknown`);
    }
    const env = Object.fromEntries([...(image.config.Env ?? []), ...(body.Env ?? [])].map(splitVariable));
    const child = spawn(words[0]!, words.slice(1), {
      cwd: body.WorkingDir ?? image.config.WorkingDir ?? "/",
      env: { PATH: "/usr/bin:/bin", ...env },
      // A separate group: the end of the first process of a container is that of all.
      stdio: [body.OpenStdin ? "pipe" : "ignore", "pipe", "pipe"],
      detached: true,
    });
    container.process = child;
    child.stdout!.on("data", (chunk: Buffer) => this.#output(container, 1, chunk));
    child.stderr!.on("data", (chunk: Buffer) => this.#output(container, 2, chunk));
    child.once("close", (code, signal) => {
      container.state = "exited";
      container.exitCode = code ?? 128 + constants.signals[signal!];
      for (const socket of container.watchers) socket.end();
      for (const tell of container.waiting.splice(0)) tell();
    });
  }

  #output({ watchers, process }: Container, stream: 1 | 2, chunk: Buffer): void {
    const pipe = stream === 1 ? process!.stdout! : process!.stderr!;
    for (const socket of watchers)
      if (!socket.write(framed(stream, chunk))) {
        pipe.pause();
        socket.once("drain", () => pipe.resume());
      }
  }

  #exec(container: Container, body: any): object {
    this.#checkFields("exec", body, EXEC_FIELDS);
    if (container.state !== "running") throw new Refusal(409, `container ${container.id} is not running`);
    const id = this.#newId("");
    this.#execs.set(id, { words: body.Cmd, exitCode: 0 });
    return { Id: id };
  }

  #inspectExec(id: string): object {
    const exec = this.#execs.get(id);
    if (exec === undefined) throw new Refusal(404, `No such exec instance: ${id}`);
    return { ID: id, ExitCode: exec.exitCode };
  }

  #upgrade(request: IncomingMessage, socket: Socket): void {
    const { path } = this.#read(request);
    const exec = this.#execs.get(/^\/exec\/([^/]+)\/start$/.exec(path)?.[1] ?? "");
    if (exec === undefined) {
      this.#attach(path, socket);
      return;
    }
    socket.on("error", () => {});
    socket.write("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
    if (exec.words[0] === "/connect") {
      this.#connect(exec, socket, Number(request.headers["content-length"]));
      return;
    }
    const child = spawn(exec.words[0]!, exec.words.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
    exec.process = child;
    child.stdin.on("error", () => {});
    socket.on(
      "data",
      dropping(Number(request.headers["content-length"]), (chunk) => child.stdin.write(chunk)),
    );
    socket.once("end", () => child.stdin.end());
    child.stdout.on("data", (chunk: Buffer) => socket.write(framed(1, chunk)));
    child.stderr.on("data", (chunk: Buffer) => socket.write(framed(2, chunk)));
    child.once("close", (code) => {
      exec.exitCode = code ?? 137;
      socket.end();
    });
  }

  /** As the program of that name in the image of Stint. */
  #connect(exec: Exec, socket: Socket, bodyLength: number): void {
    const target = connectSocket(Number(exec.words[1]), "127.0.0.1", () => socket.write(framed(1, Buffer.of(2))));
    target.on("error", () => (exec.exitCode = constants.errno.ECONNREFUSED));
    socket
      .on(
        "data",
        dropping(bodyLength, (chunk) => target.write(chunk)),
      )
      .once("end", () => target.end());
    target.on("data", (chunk: Buffer) => socket.write(framed(1, chunk)));
    target.once("close", () => socket.end());
  }

  #attach(path: string, socket: Socket): void {
    const container = this.#containers.get(/^\/containers\/([^/]+)\/attach$/.exec(path)?.[1] ?? "");
    socket.on("error", () => {});
    if (container === undefined) {
      this.#fault(`POST ${path}: nothing to attach to`);
      socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    socket.write("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
    container.watchers.push(socket);
    socket.on("data", (chunk: Buffer) => container.process?.stdin?.write(chunk));
    socket.once("end", () => container.process?.stdin?.end());
  }

  async #wait(container: Container): Promise<object> {
    if (container.state !== "exited") await new Promise<void>((resolve) => container.waiting.push(resolve));
    return { StatusCode: container.exitCode };
  }

  #kill(container: Container, signal: string): undefined {
    if (container.state !== "running") throw new Refusal(409, `container ${container.id} is not running`);
    this.#signal(container, signal as NodeJS.Signals);
  }

  #signal({ process: child }: Container, signal: NodeJS.Signals): void {
    if (child === undefined) return;
    if (signal !== "SIGKILL") child.kill(signal);
    else process.kill(-child.pid!, signal);
  }

  #inspect({ id, state, exitCode }: Container): object {
    return { Id: id, State: { Status: state, Running: state === "running", ExitCode: exitCode, OOMKilled: false } };
  }

  /** As much as if each container had used its processor for an hour. */
  #stats({ id }: Container): object {
    return {
      id,
      cpu_stats: { cpu_usage: { total_usage: 3.6e12 } },
      memory_stats: { usage: 3_000_000, stats: { inactive_file: 1_000_000 } },
    };
  }

  #listContainers(query: Parameters): object[] {
    return [...this.#containers.values()]
      .map(({ id, name, body }) => ({ Id: id, Names: [`/${name}`], Labels: body.Labels ?? {} }))
      .filter(labelled(query));
  }

  #remove(container: Container): undefined {
    const dependents = [...this.#containers.values()].filter(
      ({ body }) => body.HostConfig.NetworkMode === `container:${container.id}`,
    );
    if (dependents.length > 0) throw new Refusal(500, `container ${container.id} has dependent containers`);
    if (container.state === "running") this.#signal(container, "SIGKILL");
    this.#containers.delete(container.id);
  }

  #makeVolume(body: any): object {
    this.#checkFields("the volume", body, VOLUME_FIELDS);
    this.#volumes.set(body.Name, body);
    return { ...body, Mountpoint: `/volumes/${body.Name}/_data` };
  }

  #removeVolume(name: string): undefined {
    const isUsed = [...this.#containers.values()].some(({ body }) =>
      (body.HostConfig.Mounts ?? []).some((mount: any) => mount.Source === name),
    );
    if (isUsed) throw new Refusal(409, `remove ${name}: volume is in use`);
    if (!this.#volumes.delete(name)) throw new Refusal(404, `get ${name}: no such volume`);
  }

  #container(id: string): Container {
    const container = this.#containers.get(id);
    if (container === undefined) throw new Refusal(404, `No such container: ${id}`);
    return container;
  }

  #newId(prefix: string): string {
    return prefix + String(++this.#made).padStart(64, "0");
  }
}

class Lines {
  readonly lines: readonly object[];

  constructor(lines: readonly object[]) {
    this.lines = lines;
  }
}

/** For the bytes behind the body of a request, of this length. */
function dropping(length: number, take: (chunk: Buffer) => void): (chunk: Buffer) => void {
  let skipped = 0;
  return (chunk) => {
    const rest = chunk.subarray(Math.min(length - skipped, chunk.length));
    skipped += chunk.length - rest.length;
    if (rest.length > 0) take(rest);
  };
}

function framed(stream: 1 | 2, chunk: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(chunk.length, 4);
  return Buffer.concat([header, chunk]);
}

/** Whether an object has the labels of the parameter `filters`. */
function labelled({ filters }: Parameters): (object: { Labels?: Readonly<Record<string, string>> }) => boolean {
  const wanted: readonly string[] = filters === undefined ? [] : (JSON.parse(filters).label ?? []);
  return ({ Labels = {} }) =>
    wanted.every((label) => {
      const [name, value] = label.split("=");
      return value === undefined ? name! in Labels : Labels[name!] === value;
    });
}

function splitVariable(variable: string): [string, string] {
  const at = variable.indexOf("=");
  return [variable.slice(0, at), variable.slice(at + 1)];
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
