/**
 * Requests to the API of a container engine, over its socket. It is the API that Docker publishes, from version 1.41
 * on; Podman speaks it, too.
 *
 * Invariant: an answer that is read whole has a size limit. A request for a stream has no time limit, because a
 * container may run for ever. Leaves out what the requests mean.
 */
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request as sendRequest } from "node:http";
import type { Duplex } from "node:stream";
import { UsageError } from "../../usage-error.ts";

/** The oldest version of the API that has what is used here: that of Docker 20.10 and of Podman 4. */
const OLDEST_VERSION = "1.41";
/** The newest version that this was written for. Newer engines still support it. */
const NEWEST_VERSION = "1.51";
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The engine's description of itself. */
export interface EngineVersion {
  /** `28.5.2` */
  readonly version: string;
  /** `amd64`, as Go names it. */
  readonly architecture: string;
  /** It can limit memory and processor time: a rootless engine may have no separate control groups. */
  readonly hasLimits: boolean;
}

export interface EngineRequest {
  readonly query?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, bytes as a tar archive. */
  readonly body?: object | Buffer;
  readonly headers?: OutgoingHttpHeaders;
}

/** A refusal of the engine, with the engine's message. */
export class EngineError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class EngineClient {
  readonly #socketPath: string;
  readonly #agent = new Agent({ keepAlive: true });
  #prefix = "";

  private constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** @throws UsageError with advice, when no usable engine answers */
  static async connect(socketPath: string): Promise<{ client: EngineClient; engine: EngineVersion }> {
    const client = new EngineClient(socketPath);
    try {
      const { Version, ApiVersion, Arch } = await client.json("GET", "/version");
      if (!isAtLeast(String(ApiVersion), OLDEST_VERSION))
        throw new UsageError(
          `the engine at ${socketPath} speaks version ${ApiVersion} of its API; needed is ${OLDEST_VERSION}: Docker 20.10 or newer, or Podman 4 or newer`,
        );
      client.#prefix = `/v${isAtLeast(String(ApiVersion), NEWEST_VERSION) ? NEWEST_VERSION : ApiVersion}`;
      const hasLimits = canLimit(await client.json("GET", "/info"));
      return { client, engine: { version: String(Version), architecture: String(Arch), hasLimits } };
    } catch (error) {
      client.close();
      if (error instanceof UsageError) throw error;
      throw new UsageError(`the engine at ${socketPath} cannot be used: ${connectProblem(error)}`);
    }
  }

  /** The answer as JSON; undefined if it is empty. @throws EngineError for a refusal */
  async json(method: string, path: string, request: EngineRequest = {}): Promise<any> {
    const text = (await readAll(await this.stream(method, path, request))).toString();
    return text.trim() === "" ? undefined : JSON.parse(text);
  }

  /** The answer as it comes. @throws EngineError for a refusal */
  async stream(method: string, path: string, request: EngineRequest = {}): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = this.#send(method, path, request);
      sent.once("error", reject);
      sent.once("response", (answer) => refusalOf(answer).then(() => resolve(answer), reject));
    });
  }

  /** A connection that both sides write to, once the engine has switched to it. @throws EngineError for a refusal */
  async duplex(path: string, request: EngineRequest = {}): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      const headers = { connection: "Upgrade", upgrade: "tcp" };
      const sent = this.#send("POST", path, { ...request, headers });
      sent.once("error", reject);
      sent.once("upgrade", (_answer, socket: Duplex, first: Buffer) => {
        if (first.length > 0) socket.unshift(first);
        resolve(socket);
      });
      sent.once("response", (answer) =>
        refusalOf(answer).then(() => reject(new Error("the engine did not switch to a stream")), reject),
      );
    });
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, { query, body, headers }: EngineRequest): ReturnType<typeof sendRequest> {
    const isBytes = Buffer.isBuffer(body);
    const bytes = body === undefined ? undefined : isBytes ? body : Buffer.from(JSON.stringify(body));
    const parameters = query === undefined ? "" : `?${new URLSearchParams(query).toString()}`;
    const sent = sendRequest({
      socketPath: this.#socketPath,
      agent: this.#agent,
      method,
      path: `${this.#prefix}${path}${parameters}`,
      headers: {
        host: "localhost",
        ...(bytes && { "content-type": isBytes ? "application/x-tar" : "application/json" }),
        ...(method === "GET" ? {} : { "content-length": bytes?.length ?? 0 }),
        ...headers,
      },
    });
    return sent.end(bytes);
  }
}

async function refusalOf(answer: IncomingMessage): Promise<void> {
  const status = answer.statusCode ?? 0;
  if (status < 400) return;
  const text = (await readAll(answer)).toString().trim();
  let message = text;
  try {
    message = JSON.parse(text).message;
  } catch {
    // Not JSON: the text is the message.
  }
  throw new EngineError(status, message || `status ${status}`);
}

async function readAll(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new Error(`the engine answers with more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Podman says in a field that it is rootless, Docker among its options. */
function canLimit({ CgroupDriver, CgroupVersion, Rootless, SecurityOptions }: Record<string, any>): boolean {
  const isRootless = Rootless === true || (SecurityOptions as string[] | null)?.includes("name=rootless") === true;
  return CgroupDriver !== "none" && !(isRootless && CgroupVersion === "1");
}

function isAtLeast(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split(".").map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

function connectProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EACCES")
    return "this user may not write to the socket; join the group that owns it (docker), or use a rootless engine";
  if (code === "ECONNREFUSED") return "no engine listens at this socket; start it";
  return message;
}
