/**
 * Reads the objects of a cluster once, page by page. When the API server forbids a list, the reader notes that and goes
 * on with the next one.
 *
 * Invariant: it holds one page at a time. The caller decides what to keep.
 */
import { answeredObject, type ApiResource, errorOf, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import type { TypedObject } from "../../../cluster/values/types.ts";
import { UsageError } from "../../usage-error.ts";
import { type ApiReader, refusalOf } from "../why/api-reader.ts";
import type { Skipped } from "./finding.ts";

const ITEMS_PER_PAGE = 500;
/** A million objects of a kind. A broken or malicious server may always have another page. */
const MAX_PAGES = 2_000;
const METADATA_ALONE = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const NOT_FOUND = 404;
const FORBIDDEN = 403;
/** The page is too old. The answer may have a token to continue with a newer state. */
const EXPIRED = 410;

/** The functions of the API client that are used. */
export type Asked = Pick<ApiReader, "get" | "dryRun" | "now" | "origin">;

export interface ListQuery {
  readonly labelSelector?: string;
  readonly metadataAlone?: boolean;
  /** Every API server serves this kind. */
  readonly isEverywhere?: boolean;
}

export class ClusterReader {
  readonly #reader: Asked;
  readonly #namespace: string | undefined;
  readonly #onProgress: (what: string, count: number) => void;
  readonly skipped: Skipped[] = [];

  /** @param namespace undefined: all */
  constructor(
    reader: Asked,
    namespace: string | undefined,
    onProgress: (what: string, count: number) => void = () => {},
  ) {
    this.#reader = reader;
    this.#namespace = namespace;
    this.#onProgress = onProgress;
  }

  /** Wall time by the server's clock. */
  now(): number {
    return this.#reader.now();
  }

  /**
   * All objects of a kind, a page each time. @throws UsageError when the server answers neither with a list nor with a
   * refusal, or sends too many pages
   */
  async *pages<T extends TypedObject>(
    resource: ApiResource<T>,
    what: string,
    query: ListQuery = {},
  ): AsyncGenerator<T[]> {
    const { labelSelector, metadataAlone = false, isEverywhere = false } = query;
    const path = resourcePath(resource, this.#namespace);
    let count = 0;
    let token: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await this.#reader.get(
        withQuery(path, { labelSelector, limit: ITEMS_PER_PAGE, continue: token }),
        metadataAlone ? METADATA_ALONE : undefined,
      );
      const { items: listed, metadata } = answeredObject(answer) as {
        items?: T[] | null;
        metadata?: { continue?: string };
      };
      token = metadata?.continue || undefined;
      if (answer.status === EXPIRED && token !== undefined) continue;
      if (answer.status === NOT_FOUND && isEverywhere)
        throw new UsageError(
          `${this.#reader.origin} has no list of ${what} (${refusalOf(answer)}).\nIs it the address of an API server? Name the kubeconfig of one with --kubeconfig FILE, or another context with --context.`,
        );
      if (answer.status === NOT_FOUND && count === 0) return; // The server knows no such kind.
      if (answer.status === FORBIDDEN) {
        this.skip(what, refusalOf(answer));
        return;
      }
      if (answer.status !== 200 || listed === undefined)
        throw new UsageError(
          `${what} could not be read from ${this.#reader.origin} (${refusalOf(answer)}). Try again.`,
        );
      const items = listed ?? []; // A list of metadata that is empty has null.
      count += items.length;
      this.#onProgress(what, count);
      yield items;
      if (token === undefined) return;
    }
    throw new UsageError(
      `${this.#reader.origin} lists ${what} on more than ${MAX_PAGES} pages, which are too many; name a namespace with -n`,
    );
  }

  async all<T extends TypedObject>(resource: ApiResource<T>, what: string, query?: ListQuery): Promise<T[]> {
    const found: T[] = [];
    for await (const page of this.pages(resource, what, query)) found.push(...page);
    return found;
  }

  /** An object or a list; `missing`: there is none; undefined: it may not be read, which is reported. */
  async one(path: string, what: string): Promise<Record<string, any> | "missing" | undefined> {
    const answer = await this.#reader.get(path);
    if (answer.status === 200) return answeredObject(answer);
    if (answer.status === NOT_FOUND) return "missing";
    this.skip(what, refusalOf(answer));
    return undefined;
  }

  /** Why the server would refuse a change; undefined: it would accept it. Nothing is changed. */
  async wouldRefuse(path: string, patch: object): Promise<string | undefined> {
    const answer = await this.#reader.dryRun(path, patch);
    return answer.status === 200 || answer.status === NOT_FOUND ? undefined : errorOf(answer).message;
  }

  /** Each check is reported once. */
  skip(what: string, reason: string): void {
    if (!this.skipped.some((each) => each.what === what)) this.skipped.push({ what, reason });
  }
}
