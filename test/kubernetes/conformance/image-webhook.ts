/**
 * What the images of the specs have and a machine has not: an admission webhook changes their pods when they are made.
 *
 * The specs are written for the images busybox and pause. Stint's process runtime has no images, and runs the commands
 * of this machine. busybox' shell knows `[[`, which that of Debian does not, so bash takes its place; a pod without
 * a command gets that of its image. And a real node's containers are root, and write into folders that
 * the kubelet made for them; Stint's containers are not, so each such folder is made before, open to all.
 *
 * Leaves out all that is not pods of these specs: it changes nothing there.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createServerCertificate } from "../../../host-node/server/certificates.ts";
import type { ServerCertificate } from "../../../host-node/server/server-certificate.ts";
import type { ApiClient } from "../api-client.ts";

/** Where the specs put folders that pods share. */
const SHARED = "/tmp/job-e2e";
const SHELLS = ["sh", "/bin/sh"];
const BASH = "bash";
/** The command that an image brings with it. busybox' is its shell, which ends where its standard input is empty. */
const IMAGE_COMMANDS: readonly (readonly [image: RegExp, command: readonly string[]])[] = [
  [/\/busybox:/, [BASH]],
  [/\/pause:/, ["sleep", "infinity"]],
];
const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

interface Container {
  readonly image: string;
  readonly command?: readonly string[];
}
interface Pod {
  readonly spec: {
    readonly containers: readonly Container[];
    readonly volumes?: readonly { readonly hostPath?: { readonly path: string } }[];
  };
}
interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly dryRun?: boolean; readonly object: Pod };
}

export class ImageWebhook {
  readonly #certificate: ServerCertificate;
  readonly #server: Server;
  readonly #folders = new Set<string>();

  private constructor(certificate: ServerCertificate) {
    this.#certificate = certificate;
    this.#server = createServer(
      { cert: certificate.certificate, key: certificate.privateKey },
      async (asked, answer) => {
        let text = "";
        for await (const chunk of asked) text += String(chunk);
        answer.end(JSON.stringify(this.#review(JSON.parse(text) as Review)));
      },
    );
  }

  static async start(): Promise<ImageWebhook> {
    const webhook = new ImageWebhook(createServerCertificate(Date.now()));
    await new Promise<void>((resolve) => webhook.#server.listen(0, "127.0.0.1", resolve));
    return webhook;
  }

  /** Has the server ask it about every pod. */
  async register(client: ApiClient): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    const webhook = {
      name: "images.stint.dev",
      clientConfig: {
        url: `https://127.0.0.1:${port}/`,
        caBundle: Buffer.from(this.#certificate.authority).toString("base64"),
      },
      rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
      sideEffects: "NoneOnDryRun",
      admissionReviewVersions: ["v1"],
    };
    await client.succeed("POST", CONFIGURATIONS, { metadata: { name: "images" }, webhooks: [webhook] });
  }

  /** Also removes the folders that it made. */
  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
    if (existsSync(SHARED) && readdirSync(SHARED).length === 0) rmdirSync(SHARED);
  }

  #review({ kind, apiVersion, request: { uid, dryRun, object: pod } }: Review): object {
    if (dryRun !== true) this.#makeFolders(pod);
    const patch = Buffer.from(JSON.stringify(commandPatch(pod))).toString("base64");
    return { kind, apiVersion, response: { uid, allowed: true, patchType: "JSONPatch", patch } };
  }

  #makeFolders({ spec: { volumes = [] } }: Pod): void {
    for (const { hostPath } of volumes) {
      if (hostPath === undefined || !hostPath.path.startsWith(join(SHARED, "/"))) continue;
      mkdirSync(hostPath.path, { recursive: true });
      chmodSync(hostPath.path, 0o777);
      this.#folders.add(hostPath.path);
    }
  }
}

function commandPatch({ spec: { containers } }: Pod): object[] {
  return containers.flatMap((container, index) => {
    const value = commandOf(container);
    return value === undefined ? [] : [{ op: "add", path: `/spec/containers/${index}/command`, value }];
  });
}

/** Undefined: it stays as it is. */
function commandOf({ image, command: [first, ...more] = [] }: Container): readonly string[] | undefined {
  if (first === undefined) return IMAGE_COMMANDS.find(([known]) => known.test(image))?.[1];
  return SHELLS.includes(first) ? [BASH, ...more] : undefined;
}
