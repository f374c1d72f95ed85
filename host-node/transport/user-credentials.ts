/**
 * What a user of a kubeconfig shows to the server: headers, and a client certificate.
 *
 * Invariant: no credential gets into an error. Files are read on each call, because they rotate; a command is run again
 * when its answer expires.
 */
import { readFileSync } from "node:fs";
import type { Tls } from "./connector.ts";
import type { AuthProvider } from "./auth-provider.ts";
import { ExecCredentials, type ExecConfig, type ExecCredentialsOptions } from "./exec-credentials.ts";

/** The fields of a user that are used here. Paths are absolute. */
export interface UserFields {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly exec?: ExecConfig;
  readonly "auth-provider"?: object;
}

export interface Shown {
  readonly headers: Readonly<Record<string, string>>;
  readonly certificate: Pick<Tls, "cert" | "key">;
}

export class UserCredentials {
  readonly #user: UserFields;
  readonly #command?: ExecCredentials;
  #provider: Promise<AuthProvider> | undefined;

  constructor(user: UserFields, options: ExecCredentialsOptions) {
    this.#user = user;
    if (user.exec && !user.tokenFile) this.#command = new ExecCredentials(user.exec, options);
  }

  /** @throws Error when a file, a command or an auth provider fails */
  async read(): Promise<Shown> {
    const user = this.#user;
    const answered = await this.#command?.current();
    const authorization = tokenOf(user) ?? bearer(answered?.token) ?? (await this.#provided()) ?? passwordOf(user);
    const cert = answered?.clientCertificateData ?? contentOf(user, "client-certificate");
    const key = answered?.clientKeyData ?? contentOf(user, "client-key");
    return {
      headers: { ...(authorization && { authorization }), ...(user.as && { "impersonate-user": user.as }) },
      certificate: { ...(cert && { cert }), ...(key && { key }) },
    };
  }

  /** The header value of an auth provider. */
  async #provided(): Promise<string | undefined> {
    const fields = this.#user["auth-provider"];
    if (!fields || this.#command !== undefined) return undefined;
    this.#provider ??= import("./auth-provider.ts").then(({ AuthProvider }) => new AuthProvider(fields));
    return (await this.#provider).authorization();
  }
}

/** A token file is used before a token, as in kubectl. It may end with a newline, which no header can hold. */
function tokenOf({ token, tokenFile }: UserFields): string | undefined {
  return bearer(tokenFile ? readFileSync(tokenFile, "utf8").trim() : token);
}

function bearer(token: string | undefined): string | undefined {
  return token ? `Bearer ${token.trim()}` : undefined;
}

function passwordOf({ username, password = "" }: UserFields): string | undefined {
  return username ? `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` : undefined;
}

/** The value of a field that is in the kubeconfig itself, or in a file. If both are given, the file is used. */
export function contentOf<Name extends string>(
  fields: { readonly [field in Name | `${Name}-data`]?: string },
  name: Name,
): Buffer | undefined {
  const { [name]: path, [`${name}-data`]: data } = fields as Readonly<Record<string, string>>;
  if (path) return readFileSync(path);
  return data ? Buffer.from(data, "base64") : undefined;
}
