/**
 * Recordings that are too large for an address, kept in the browser's IndexedDB over a reload. Invariant: at most
 * MAX_KEPT, those that were opened last. A browser may refuse storage, or have none left: then nothing is kept, and the
 * caller gets false.
 */
const DATABASE = "stint.playground";
const STORE = "recordings";
const MAX_KEPT = 3;
/** Browsers have room for a few of these. */
const MAX_LENGTH = 64 * 1024 * 1024;

interface Kept {
  readonly digest: string;
  readonly recording: string;
  /** When it was opened, in milliseconds since 1970. */
  readonly openedMs: number;
}

/** @returns whether it is kept now */
export async function keepRecording(digest: string, recording: string): Promise<boolean> {
  if (recording.length > MAX_LENGTH) return false;
  try {
    await inStore("readwrite", async (store) => {
      await answerOf(store.put({ digest, recording, openedMs: Date.now() } satisfies Kept));
      const all = (await answerOf(store.getAll())) as Kept[];
      const old = all.sort((a, b) => b.openedMs - a.openedMs).slice(MAX_KEPT);
      for (const each of old) store.delete(each.digest);
    });
    return true;
  } catch {
    return false;
  }
}

/** @returns undefined: it is not kept here */
export async function keptRecording(digest: string): Promise<string | undefined> {
  try {
    return await inStore("readonly", async (store) => {
      const kept = (await answerOf(store.get(digest))) as Kept | undefined;
      return kept?.recording;
    });
  } catch {
    return undefined;
  }
}

async function inStore<T>(mode: IDBTransactionMode, run: (store: IDBObjectStore) => Promise<T>): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => void opening.result.createObjectStore(STORE, { keyPath: "digest" });
  const database = await answerOf(opening);
  try {
    const transaction = database.transaction(STORE, mode);
    const isDone = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("the browser has aborted it"));
    });
    const result = await run(transaction.objectStore(STORE));
    await isDone;
    return result;
  } finally {
    database.close();
  }
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser has refused it"));
  });
}
