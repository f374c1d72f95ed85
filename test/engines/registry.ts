/**
 * A registry of images on loopback, as far as an engine needs one to pull: the distribution specification's manifests
 * and blobs. With a password, it asks for it.
 */
import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tarArchive } from "../../host-node/runtime/container-engine/tar-archive.ts";

const LAYER_TYPE = "application/vnd.docker.image.rootfs.diff.tar";
const CONFIG_TYPE = "application/vnd.docker.container.image.v1+json";
const MANIFEST_TYPE = "application/vnd.docker.distribution.manifest.v2+json";

/** The `config` of an image: `Entrypoint`, `Cmd`, `User`, `Env`, `StopSignal`… */
export type ImageConfig = Readonly<Record<string, unknown>>;

export interface Registry {
  /** `127.0.0.1:5000` */
  readonly address: string;
  /** An image of one file, `/bin/sh`. @returns its name */
  add(repository: string, shell: Buffer, config: ImageConfig): string;
  /** How often a manifest was asked for. */
  readonly pulls: () => number;
  close(): Promise<void>;
}

/** @param password that of the user `puller`; undefined: everybody may pull */
export async function startRegistry(password?: string): Promise<Registry> {
  const blobs = new Map<string, Buffer>();
  const manifests = new Map<string, Buffer>();
  let pulls = 0;
  const server = createServer(({ url = "", method, headers }, answer) => {
    const given = Buffer.from((headers.authorization ?? "").replace("Basic ", ""), "base64").toString();
    if (password !== undefined && given !== `puller:${password}`) {
      answer.writeHead(401, { "www-authenticate": 'Basic realm="test"' });
      answer.end('{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}');
      return;
    }
    const manifest = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(url);
    const blob = /^\/v2\/.+\/blobs\/(.+)$/.exec(url);
    if (url === "/v2/") answer.end("{}");
    else if (manifest !== null) {
      if (method === "GET") pulls++;
      send(answer, manifests.get(`${manifest[1]}:${manifest[2]}`), MANIFEST_TYPE, method);
    } else if (blob !== null) send(answer, blobs.get(blob[1]!), "application/octet-stream", method);
    else send(answer, undefined, "", method);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = (bytes: Buffer, mediaType: string): object => {
    const digest = digestOf(bytes);
    blobs.set(digest, bytes);
    return { mediaType, size: bytes.length, digest };
  };
  return {
    address,
    pulls: () => pulls,
    add: (repository, shell, config) => {
      const layer = tarArchive([
        { path: "bin", mode: 0o755 },
        { path: "bin/sh", mode: 0o755, bytes: shell },
        { path: "etc", mode: 0o755 },
        { path: "etc/passwd", mode: 0o644, bytes: Buffer.from("root:x:0:0:root:/:/bin/sh\n") },
        { path: "tmp", mode: 0o1777 },
      ]);
      const image = {
        architecture: "amd64",
        os: "linux",
        config,
        rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
      };
      const manifest = Buffer.from(
        JSON.stringify({
          schemaVersion: 2,
          mediaType: MANIFEST_TYPE,
          config: store(Buffer.from(JSON.stringify(image)), CONFIG_TYPE),
          layers: [store(layer, LAYER_TYPE)],
        }),
      );
      manifests.set(`${repository}:1`, manifest).set(`${repository}:${digestOf(manifest)}`, manifest);
      return `${address}/${repository}:1`;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function send(answer: ServerResponse, bytes: Buffer | undefined, type: string, method = "GET"): void {
  if (bytes === undefined) {
    answer.writeHead(404, { "content-type": "application/json" });
    answer.end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
    return;
  }
  answer.writeHead(200, {
    "content-type": type,
    "content-length": bytes.length,
    "docker-content-digest": digestOf(bytes),
  });
  answer.end(method === "HEAD" ? undefined : bytes);
}
