/**
 * Gets credentials from the command that `exec` in a kubeconfig names: a token, a client certificate, or both.
 *
 * Invariant: a command that hangs is ended. Its standard output is secret and gets into no error. It has no terminal,
 * so a command that wants to ask the user fails instead of waiting. Its answer is kept until the expiry time in it.
 * Source: client-go plugin/pkg/client/auth/exec/exec.go;
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
import { execFile } from "node:child_process";

const DEFAULT_API_VERSION = "client.authentication.k8s.io/v1";
const MAX_ANSWER_BYTES = 1024 * 1024;
const TIMEOUT_MS = 30_000;
/** Credentials that expire sooner than this are not used: a request takes some time to arrive. */
const MIN_LEFT_MS = 10_000;

export interface ExecConfig {
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly apiVersion?: string;
  readonly installHint?: string;
}

export interface CredentialStatus {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
  readonly expirationTimestamp?: string;
}

export interface ExecCredentialsOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number | undefined;
}

export class ExecCredentials {
  readonly #config: ExecConfig;
  readonly #options: ExecCredentialsOptions;
  #status: CredentialStatus | undefined;

  constructor(config: ExecConfig, options: ExecCredentialsOptions) {
    this.#config = config;
    this.#options = options;
  }

  /** @throws Error with one sentence, when the command fails or its answer is invalid */
  async current(): Promise<CredentialStatus> {
    if (this.#status === undefined || msLeft(this.#status) < MIN_LEFT_MS) this.#status = statusIn(await this.#run());
    return this.#status;
  }

  /** Runs the command. @returns its standard output */
  #run(): Promise<string> {
    const { command, args, env, apiVersion = DEFAULT_API_VERSION, installHint } = this.#config;
    const { environment, timeoutMs = TIMEOUT_MS } = this.#options;
    const information = JSON.stringify({ apiVersion, kind: "ExecCredential", spec: { interactive: false } });
    const all = {
      ...environment,
      KUBERNETES_EXEC_INFO: information,
      ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
    };
    return new Promise((resolve, reject) => {
      const child = execFile(
        command,
        args ?? [],
        { env: all, timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: MAX_ANSWER_BYTES },
        (error, output, errors) => {
          if (error === null) return resolve(output);
          const hint = installHint === undefined ? "" : `; ${firstLine(installHint)}`;
          if (error.code === "ENOENT") reject(new Error(`there is no command ${command}${hint}`));
          else if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
            reject(new Error(`${command} wrote more than ${MAX_ANSWER_BYTES} bytes`));
          else if (error.killed)
            reject(new Error(`${command} did not end within ${timeoutMs / 1000} s, and was killed`));
          else if (typeof error.code === "number")
            reject(new Error(`${command} ended with ${error.code}: ${firstLine(errors)}`));
          else reject(new Error(`${command} could not be run, or was killed (${error.code ?? error.signal})`));
        },
      );
      child.stdin?.on("error", () => {}).end();
    });
  }
}

function statusIn(output: string): CredentialStatus {
  let status: CredentialStatus | undefined;
  try {
    status = (JSON.parse(output) as { status?: CredentialStatus } | null)?.status;
  } catch {
    throw new Error("the command answered something that is not JSON; allowed is an ExecCredential");
  }
  if (
    status?.token === undefined &&
    (status?.clientCertificateData === undefined || status.clientKeyData === undefined)
  ) {
    throw new Error(
      "the command answered JSON without status.token and without status.clientCertificateData and clientKeyData; allowed is an ExecCredential with one of them",
    );
  }
  return status!;
}

function msLeft({ expirationTimestamp }: CredentialStatus): number {
  const expiresMs = Date.parse(expirationTimestamp ?? "");
  return Number.isNaN(expiresMs) ? Infinity : expiresMs - Date.now();
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]!;
}
