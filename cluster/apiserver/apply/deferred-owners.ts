/**
 * Computes metadata.managedFields lazily, on first read. Components of this process write most of the time, and do not
 * read them. So each version of an object keeps what the computation needs: its writer and the version before. Many
 * objects are deleted before a client reads their owners.
 *
 * Invariant: what is found is what would have been found during the write. Earlier versions are kept alive only as long
 * as the history has them, or a deleted object: the store settles what it drops. Leaves out the rules of ownership
 * (ownership.ts).
 */
import type { KubeObject } from "../../values/types.ts";
import type { ListItem } from "../contract/context.ts";
import { stringify } from "../../values/json.ts";
import { JoinedText, type Owned, type Stored, type TextSink } from "../storage/store.ts";

/** The entries of metadata.managedFields. Undefined: there are none. */
export type Entries = KubeObject["metadata"]["managedFields"];

/**
 * @param before the version before the write; undefined: the object is new
 * @param entries those of the version before
 */
export type FindEntries = (after: KubeObject, before: KubeObject | undefined, entries: Entries) => Entries;

export class DeferredOwners implements Owned {
  of: Stored | undefined;
  /** Undefined: the entries are known. */
  #find: FindEntries | undefined;
  #before: Stored | undefined;
  #entries: Entries;

  private constructor(entries: Entries, find: FindEntries | undefined, before: Stored | undefined) {
    this.#entries = entries;
    this.#find = find;
    this.#before = before;
  }

  static known(entries: Entries): DeferredOwners {
    return new DeferredOwners(entries, undefined, undefined);
  }

  /** @param before the version that is written; undefined: the object is new */
  static later(find: FindEntries, before?: Stored): DeferredOwners {
    return new DeferredOwners(undefined, find, before);
  }

  get entries(): Entries {
    this.settle();
    return this.#entries;
  }

  /** The earliest first: an object that is written every few seconds has thousands of versions. */
  settle(): void {
    const waiting: DeferredOwners[] = [];
    for (let one: DeferredOwners | undefined = this; one?.isWaiting; one = ownedBy(one.#before)) waiting.push(one);
    for (const one of waiting.reverse()) {
      one.#entries = one.#find!(one.of!.bare, one.#before?.bare, ownedBy(one.#before)?.entries);
      one.#find = one.#before = undefined;
    }
  }

  get isWaiting(): boolean {
    return this.#find !== undefined;
  }

  join(object: KubeObject): KubeObject {
    const { entries: managedFields } = this;
    return managedFields === undefined ? object : { ...object, metadata: { ...object.metadata, managedFields } };
  }

  /** They are the last member of metadata. */
  textBehind(text: string): string {
    const { entries } = this;
    return entries === undefined ? text : `${text.slice(0, -1)},"managedFields":${stringify(entries)}}`;
  }
}

function ownedBy(stored: Stored | undefined): DeferredOwners | undefined {
  return stored?.owned as DeferredOwners | undefined;
}

/** An object and its owners apart. */
export function takeApart(object: KubeObject): [KubeObject, DeferredOwners] | undefined {
  if (object.metadata.managedFields === undefined) return undefined;
  const { managedFields, ...metadata } = object.metadata;
  return [{ ...object, metadata }, DeferredOwners.known(managedFields)];
}

const noOwners = DeferredOwners.known(undefined);

/** An object for a client that does not read its owners. */
export class BareItem implements ListItem {
  readonly #stored: Stored;

  constructor(stored: Stored) {
    this.#stored = stored;
  }

  get object(): KubeObject {
    return this.#stored.bare;
  }

  get text(): string {
    const joined = new JoinedText();
    this.writeTo(joined);
    return joined.text;
  }

  writeTo(sink: TextSink): void {
    this.#stored.writeTo(sink, noOwners);
  }
}
