/**
 * The objects of one resource, by `namespace/name`, with the history that watches and snapshots need.
 *
 * Every write takes the next number of one global revision, so resourceVersions compare across resources.
 * The history keeps the latest events up to a limit; an older revision can be neither watched from nor listed.
 * Objects are immutable. Leaves out every rule about what may be written.
 */
import type { Json, KubeObject, ObjectMeta } from "../../values/types.ts";
import { sharing, stringify } from "../../values/json.ts";
import { type Packed, Templates } from "./packed.ts";
import { leadOf, objectText, valueText } from "./shared-text.ts";
import { SortedKeys } from "./sorted-keys.ts";

/** The texts of this many latest versions are cached for the next reader. Then finished objects are packed. */
const MAX_RECENT_TEXTS = 128;

/** The global revision: the resourceVersion of the latest write. */
export class Revisions {
  current = 1;

  next(): number {
    return ++this.current;
  }
}

/** Takes a text in pieces. */
export interface TextSink {
  write(piece: string): void;
}

/** The owners of the fields of one version of an object, kept beside it. apply/deferred-owners.ts implements it. */
export interface Owned {
  /** The version itself. */
  of: Stored | undefined;
  /** Computes the owners now instead of on first read. */
  settle(): void;
  /** An object with its owners. */
  join(object: KubeObject): KubeObject;
  /** The text of metadata behind the version, with the owners. */
  textBehind(text: string): string;
}

/** Takes an object and its owners apart. Undefined: it has none. */
export type TakeApart = (object: KubeObject) => readonly [object: KubeObject, owned: Owned] | undefined;

/** One object at one revision. */
export class Stored {
  readonly key: string;
  readonly revision: number;
  /** Undefined: no field has an owner. */
  readonly owned: Owned | undefined;
  /** Without the owners. A function builds it on first read. Undefined: it is packed. */
  #object: KubeObject | (() => KubeObject) | undefined;
  #page: Packed[0] | undefined;
  #from = 0;
  /** Undefined: no client has read them. Null: there is a later version, or many events have happened since. */
  #texts: Texts | undefined | null;

  constructor(
    key: string,
    object: KubeObject | (() => KubeObject),
    revision: number,
    previous: Stored | undefined,
    owned: Owned | undefined,
  ) {
    this.key = key;
    this.#object = object;
    this.revision = revision;
    this.owned = owned;
    if (previous === undefined || !previous.#texts) return;
    this.#texts = new Texts(this.bare, previous.bare, previous.#texts);
    previous.#texts = null;
  }

  get object(): KubeObject {
    return this.owned?.join(this.bare) ?? this.bare;
  }

  /** The object without the owners of its fields, for readers that do not use them. */
  get bare(): KubeObject {
    const object = this.#object;
    if (typeof object === "function") return (this.#object = object());
    return object ?? this.#page!.template.unpack(this.#page!.codes, this.#from, this.#knownTexts);
  }

  /** What need not be packed. */
  get #knownTexts(): readonly string[] {
    return [this.key.slice(this.key.indexOf("/") + 1), String(this.revision)];
  }

  /** The object as JSON text. All early readers of this revision share it: watches, and the response to the write. */
  get text(): string {
    if (this.#texts === null) return stringify(this.object);
    const texts = (this.#texts ??= new Texts());
    if (texts.whole === undefined) {
      const joined = new JoinedText();
      texts.writeTo(joined, this.bare, this.owned);
      texts.whole = joined.text;
    }
    return texts.whole;
  }

  /** Writes the text, without joining it first. @param owned the owners to write */
  writeTo(sink: TextSink, owned = this.owned): void {
    const { bare } = this;
    if (this.#texts === null) sink.write(stringify(owned?.join(bare) ?? bare));
    else if (this.#texts?.whole !== undefined && owned === this.owned) sink.write(this.#texts.whole);
    else (this.#texts ??= new Texts()).writeTo(sink, bare, owned);
  }

  /** Drops the texts, which take most of the memory. */
  age(): void {
    this.#texts = null;
  }

  /** Drops the object, and builds an equal one on each read. */
  pack(packName: PackName, templates: Templates): void {
    if (this.#object === undefined) return;
    const { bare } = this;
    const name = packName(bare);
    const packed = name === undefined ? undefined : templates.pack(name, bare, this.#knownTexts);
    if (packed === undefined) return;
    [this.#page, this.#from] = packed;
    this.#object = undefined;
  }
}

export class JoinedText implements TextSink {
  text = "";

  write(piece: string): void {
    this.text += piece;
  }
}

/** The texts of one version: the whole, and its large members. The next version takes over those that it shares. */
class Texts {
  whole: string | undefined;
  #spec: string | undefined;
  #status: string | undefined;
  /** The texts before and after the value of metadata.resourceVersion. */
  #metadata: readonly [string, string] | undefined;

  constructor(object?: KubeObject, previous?: KubeObject, known?: Texts) {
    if (object === undefined || previous === undefined || known === undefined) return;
    if (object["spec"] === previous["spec"]) this.#spec = known.#spec;
    if (object["status"] === previous["status"]) this.#status = known.#status;
    if (known.#metadata !== undefined && isSameButVersion(object.metadata, previous.metadata))
      this.#metadata = known.#metadata;
  }

  writeTo(sink: TextSink, object: KubeObject, owned: Owned | undefined): void {
    let isFirst = true;
    for (const name in object) {
      const value = object[name];
      if (value === undefined) continue;
      sink.write(leadOf(name, isFirst));
      if (!this.#writeLarge(name, object, sink, owned)) sink.write(valueText(value as Json));
      isFirst = false;
    }
    sink.write("}");
  }

  /** Writes a large member. False: it is another member, or has no object. */
  #writeLarge(name: string, object: KubeObject, sink: TextSink, owned: Owned | undefined): boolean {
    const value = object[name];
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    if (name === "metadata") {
      const [before, behind] = (this.#metadata ??= textRoundVersion(object.metadata));
      sink.write(before);
      sink.write(object.metadata.resourceVersion);
      sink.write(owned?.textBehind(behind) ?? behind);
    } else if (name === "spec") sink.write((this.#spec ??= objectText(value)));
    else if (name === "status") sink.write((this.#status ??= objectText(value)));
    else return false;
    return true;
  }
}

function isSameButVersion(a: ObjectMeta, b: ObjectMeta): boolean {
  let difference = 0;
  for (const name in a) {
    if (name !== "resourceVersion" && a[name as keyof ObjectMeta] !== b[name as keyof ObjectMeta]) return false;
    difference++;
  }
  for (const _name in b) difference--;
  return difference === 0;
}

const versionMember = '"resourceVersion":"';

/** No value before this member has quotes, because these are escaped. */
function textRoundVersion(metadata: ObjectMeta): readonly [string, string] {
  const text = stringify(metadata);
  const at = text.indexOf(versionMember) + versionMember.length;
  return [text.slice(0, at), text.slice(at + metadata.resourceVersion.length)];
}

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** One write, as watches see it. */
export interface StoreEvent {
  readonly type: EventType;
  readonly revision: number;
  /** The object after the write; for DELETED its last state with the revision of the deletion. */
  readonly stored: Stored;
  /** The object before the write. */
  readonly previous: Stored | undefined;
}

/** The name for similar objects; undefined: the object may change again soon, or there are few of its kind. */
export type PackName = (object: KubeObject) => string | undefined;

/** The store of one resource. All stores of a server share their revisions. */
export class Store {
  readonly #revisions: Revisions;
  readonly #maxHistoryEvents: number;
  readonly #packName: PackName;
  readonly #takeApart: TakeApart | undefined;
  readonly #templates = new Templates();
  readonly #objects = new Map<string, Stored>();
  readonly #keys = new SortedKeys(() => this.#objects.keys());
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  /**
   * The object that was written last, without its owners. Objects that come together are mostly alike, so the next one
   * shares equal parts with it.
   */
  latest: KubeObject | undefined;
  #history: (StoreEvent | undefined)[] = [];
  /** Index of the first event that is kept in `history`. */
  #historyStart = 0;
  /** The newest revision whose changes are no longer in the history. */
  #compactedRevision = 0;

  /**
   * @param packName for objects to be packed when they have not changed for MAX_RECENT_TEXTS events
   * @param takeApart undefined: field ownership is not tracked
   */
  constructor(
    revisions: Revisions,
    maxHistoryEvents: number,
    packName: PackName = () => undefined,
    takeApart?: TakeApart,
  ) {
    this.#revisions = revisions;
    this.#maxHistoryEvents = maxHistoryEvents;
    this.#packName = packName;
    this.#takeApart = takeApart;
  }

  /** All events after this revision are known. */
  get oldestRevision(): number {
    return this.#compactedRevision;
  }

  get(key: string): Stored | undefined {
    return this.#objects.get(key);
  }

  /**
   * Stores an object under its key, with the next resourceVersion.
   * @param isFromHere it comes from a component in this process: such a component already shares equal parts
   * @param owned who owns its fields; undefined: the object says so
   */
  put(key: string, object: KubeObject, isFromHere = false, owned?: Owned): Stored {
    const previous = this.#objects.get(key);
    const revision = this.#revisions.next();
    const [bare, itsOwned] = this.#takeApart?.(object) ?? [object];
    const shared = this.#sharingMembers(bare, previous?.bare, isFromHere);
    const stored = new Stored(key, stamped(shared, revision), revision, previous, owned ?? itsOwned);
    if (owned) owned.of ??= stored;
    this.latest = stored.bare;
    this.#objects.set(key, stored);
    if (!previous) this.#keys.added(key);
    this.#publish({ type: previous ? "MODIFIED" : "ADDED", revision: stored.revision, stored, previous });
    return stored;
  }

  /** Removes an object. @returns its last state, with the revision of the deletion */
  remove(key: string): Stored | undefined {
    const previous = this.#objects.get(key);
    if (!previous) return undefined;
    const revision = this.#revisions.next();
    // Built lazily: events are deleted by the thousand, and mostly no client reads the deletion.
    const stored = new Stored(key, () => stamped(previous.bare, revision), revision, previous, previous.owned);
    this.#objects.delete(key);
    this.#keys.removed(key);
    this.#publish({ type: "DELETED", revision: stored.revision, stored, previous });
    return stored;
  }

  /**
   * The object, with equal parts taken from the latest one. Parts that it shares with its previous version were treated
   * before; but all objects of one owner have the list of owners of the latest one, which may come later.
   */
  #sharingMembers(object: KubeObject, previous: KubeObject | undefined, isFromHere: boolean): KubeObject {
    const { latest } = this;
    if (latest === undefined) return object;
    let copy: Record<string, unknown> | undefined;
    for (const name in object) {
      const member = object[name] as Json;
      if (name !== "metadata" && (isFromHere || member === previous?.[name])) continue;
      const shared = sharing(member, latest[name] as Json | undefined);
      if (shared !== member) (copy ??= { ...object })[name] = shared;
    }
    return (copy as KubeObject | undefined) ?? object;
  }

  /**
   * The objects whose keys begin with `prefix`, from the first key that is not less than `from`, in order of keys. With
   * `revision`, the objects as they were then; it must not be older than oldestRevision.
   */
  *scan(prefix: string, from: string, revision?: number): Generator<Stored> {
    const before =
      revision === undefined || revision >= this.#revisions.current ? undefined : this.#changedSince(revision);
    const start = from > prefix ? from : prefix;
    if (!before || before.size === 0) {
      for (const key of this.#keys.from(start)) {
        if (!key.startsWith(prefix)) return;
        yield this.#objects.get(key)!;
      }
      return;
    }
    const gone = [...before.keys()]
      .filter((key) => !this.#objects.has(key) && key >= start && key.startsWith(prefix))
      .toSorted();
    let next = 0;
    for (const key of this.#keys.from(start)) {
      if (!key.startsWith(prefix)) break;
      for (; next < gone.length && gone[next]! < key; next++) yield* present(before.get(gone[next]!));
      if (before.has(key)) yield* present(before.get(key));
      else yield this.#objects.get(key)!;
    }
    for (; next < gone.length; next++) yield* present(before.get(gone[next]!));
  }

  /** How many objects scan(prefix, from, revision) would yield. */
  count(prefix: string, from: string, revision: number): number {
    const start = from > prefix ? from : prefix;
    let count = this.#keys.rank(`${prefix}\uffff`) - this.#keys.rank(start);
    if (revision >= this.#revisions.current) return count;
    for (const [key, stored] of this.#changedSince(revision)) {
      if (key >= start && key.startsWith(prefix))
        count += Number(stored !== undefined) - Number(this.#objects.has(key));
    }
    return count;
  }

  /** The state at `revision` of each object that changed later. Undefined: it did not exist then. */
  #changedSince(revision: number): Map<string, Stored | undefined> {
    const before = new Map<string, Stored | undefined>();
    for (let index = this.#firstAfter(revision); index < this.#history.length; index++) {
      const event = this.#history[index]!;
      if (!before.has(event.stored.key)) before.set(event.stored.key, event.previous);
    }
    return before;
  }

  /** The events after `revision`, oldest first. `revision` must not be older than oldestRevision. */
  *eventsAfter(revision: number): Generator<StoreEvent> {
    for (let index = this.#firstAfter(revision); index < this.#history.length; index++) yield this.#history[index]!;
  }

  /** Calls the listener inside every write. Call the result to end that. */
  subscribe(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Drops the events so far: the present state is the beginning. */
  forgetHistory(): void {
    this.#history = [];
    this.#historyStart = 0;
    this.#compactedRevision = this.#revisions.current;
  }

  #firstAfter(revision: number): number {
    let low = this.#historyStart;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#history[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #publish(event: StoreEvent): void {
    this.#history.push(event);
    const aged = this.#history[this.#history.length - 1 - MAX_RECENT_TEXTS];
    if (aged !== undefined) this.#age(aged);
    if (this.#history.length - this.#historyStart > this.#maxHistoryEvents) {
      const dropped = this.#history[this.#historyStart]!;
      this.#history[this.#historyStart++] = undefined;
      this.#compactedRevision = dropped.revision;
      dropped.stored.age();
      // Settled now, because owners computed later would keep earlier versions alive.
      if (this.#objects.has(dropped.stored.key)) dropped.stored.owned?.settle();
      // Cut the dropped part off only now, all at once, so the cost per event is constant.
      if (this.#historyStart >= this.#maxHistoryEvents) {
        this.#history = this.#history.slice(this.#historyStart);
        this.#historyStart = 0;
      }
    }
    this.#listeners.forEach((listener) => listener(event));
  }

  /** Packs the present or last version: observers keep both. */
  #age({ type, stored, previous }: StoreEvent): void {
    stored.age();
    const last = type === "DELETED" ? previous! : stored;
    if (type === "DELETED" || this.#objects.get(last.key) === last) last.pack(this.#packName, this.#templates);
  }
}

function* present(stored: Stored | undefined): Generator<Stored> {
  if (stored) yield stored;
}

function stamped(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: withResourceVersion(object.metadata, String(revision)) };
}

function withResourceVersion(metadata: KubeObject["metadata"], resourceVersion: string): KubeObject["metadata"] {
  if (metadata.resourceVersion !== undefined) return { ...metadata, resourceVersion };
  const stamped: Record<string, unknown> = {};
  for (const name in metadata) {
    if (!comesBeforeVersion(name)) stamped["resourceVersion"] ??= resourceVersion;
    stamped[name] = metadata[name as keyof ObjectMeta];
  }
  stamped["resourceVersion"] ??= resourceVersion;
  return stamped as unknown as ObjectMeta;
}

/** Whether a member of metadata is written before the resourceVersion. */
function comesBeforeVersion(name: string): boolean {
  return name === "name" || name === "generateName" || name === "namespace" || name === "uid";
}
