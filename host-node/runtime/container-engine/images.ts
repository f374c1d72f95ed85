/**
 * Ensures that an image is on the machine of the engine before a container starts from it, by the container's
 * imagePullPolicy.
 *
 * Invariant: an image is pulled once at a time, however many containers wait for it; containers with other credentials
 * pull separately. The caller gets the image or a waiting reason of Kubernetes. Leaves out when it is tried again: the
 * kubelet decides that. Source: pkg/kubelet/images/image_manager.go.
 */
import { createInterface } from "node:readline";
import { type EngineClient, EngineError } from "./engine-client.ts";
import { type ImageName, parseImageName } from "./image-name.ts";
import { registryAuth } from "./registry-credentials.ts";
import type { Secret } from "../../../cluster/values/kinds.ts";

/** What a container needs to know of its image. */
export interface Image {
  readonly id: string;
  readonly size: number;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  /** `1000`, `1000:1000`, `app`; empty: root. */
  readonly user: string;
  readonly stopSignal: string;
}

/** Why there is no image. `reason` is a waiting reason. */
export class ImageError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface ImageRequest {
  readonly name: string;
  readonly policy: string;
  /** The pod's imagePullSecrets that exist. */
  readonly secrets: readonly Secret[];
}

/** Gets the progress of a pull. */
export interface PullListener {
  pulling(image: string): void;
  progress(image: string, doneBytes: number, totalBytes: number): void;
  pulled(image: string, size: number, durationMs: number): void;
  present(image: string): void;
}

export class Images {
  readonly #client: EngineClient;
  readonly #pulls = new Map<string, Promise<void>>();

  constructor(client: EngineClient) {
    this.#client = client;
  }

  /** @throws ImageError when there is none */
  async ensure({ name, policy, secrets }: ImageRequest, listener: PullListener): Promise<Image> {
    const parsed = parseImageName(name);
    if (parsed === undefined)
      throw new ImageError(
        "InvalidImageName",
        `Failed to apply default image tag ${JSON.stringify(name)}: couldn't parse image name ${JSON.stringify(name)}: invalid reference format`,
      );
    const present = policy === "Always" ? undefined : await this.#find(name, parsed);
    if (present !== undefined) {
      listener.present(name);
      return present;
    }
    if (policy === "Never")
      throw new ImageError(
        "ErrImageNeverPull",
        `Container image ${JSON.stringify(name)} is not present with pull policy of Never`,
      );
    const startMs = performance.now();
    listener.pulling(name);
    await this.#pull(name, parsed, registryAuth(secrets, parsed), listener);
    const image = await this.#find(name, parsed);
    if (image === undefined) throw new ImageError("ErrImagePull", `the engine has pulled ${name} and does not have it`);
    listener.pulled(name, image.size, performance.now() - startMs);
    return image;
  }

  /** By its canonical name, and by the given one, which is the name of an image that was built on this machine. */
  async #find(name: string, { canonical }: ImageName): Promise<Image | undefined> {
    for (const each of new Set([canonical, name])) {
      try {
        return imageOf(await this.#client.json("GET", `/images/${each}/json`));
      } catch (error) {
        if (!(error instanceof EngineError) || error.status !== 404)
          throw new ImageError(
            "ImageInspectError",
            `Failed to inspect image ${JSON.stringify(name)}: ${(error as Error).message}`,
          );
      }
    }
    return undefined;
  }

  async #pull(name: string, image: ImageName, auth: string | undefined, listener: PullListener): Promise<void> {
    const key = `${image.canonical} ${auth ?? ""}`;
    const underWay = this.#pulls.get(key);
    if (underWay !== undefined) return underWay;
    const pull = this.#pullNow(name, image, auth, listener).finally(() => this.#pulls.delete(key));
    this.#pulls.set(key, pull);
    return pull;
  }

  async #pullNow(name: string, image: ImageName, auth: string | undefined, listener: PullListener): Promise<void> {
    const { registry, repository, version } = image;
    const query = { fromImage: `${registry}/${repository}`, tag: version };
    const headers = auth === undefined ? {} : { "x-registry-auth": auth };
    try {
      const answer = await this.#client.stream("POST", "/images/create", { query, headers });
      const layers = new Map<string, { readonly current: number; readonly total: number }>();
      for await (const line of createInterface({ input: answer })) {
        if (line.trim() === "") continue;
        const { error, id, progressDetail } = JSON.parse(line);
        if (error) throw new Error(String(error));
        if (!progressDetail?.total) continue;
        layers.set(String(id), { current: progressDetail.current ?? 0, total: progressDetail.total });
        const sum = (field: "current" | "total"): number =>
          [...layers.values()].reduce((bytes, layer) => bytes + layer[field], 0);
        listener.progress(name, sum("current"), sum("total"));
      }
    } catch (error) {
      throw new ImageError("ErrImagePull", (error as Error).message.trim());
    }
  }
}

function imageOf({ Id, Size, Config }: any): Image {
  return {
    id: Id,
    size: Size ?? 0,
    entrypoint: Config?.Entrypoint ?? [],
    command: Config?.Cmd ?? [],
    user: Config?.User ?? "",
    stopSignal: Config?.StopSignal || "SIGTERM",
  };
}
