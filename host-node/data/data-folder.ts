/**
 * The folder of `stint serve --data-dir`: the objects of a cluster and the identity of the server, for the next server.
 * Only this user may read it, and one server at a time uses it.
 *
 * Leaves out the files that containers have written, which are in the folders of volumes, and their logs.
 */
import { Restore, type SavedObject } from "../../cluster/apiserver/storage/restore.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { isAccountKey } from "../server/service-account-tokens.ts";
import { MachineError } from "../usage-error.ts";
import { damaged, Database, type Row } from "./database.ts";
import { DurableWrites } from "./durable-writes.ts";
import { lockFolder } from "./folder-lock.ts";
import { type Identity, keptIdentity } from "./identity.ts";
import { refuseWhenLow } from "./low-space.ts";
import { makePrivateFolder } from "./private-folder.ts";

export interface DataFolderOptions {
  readonly nowMs: number;
  /** A write could not be stored. The content of the folder is consistent, and the server must end. */
  readonly onFailure: (error: Error) => void;
}

export class DataFolder {
  readonly path: string;
  readonly identity: Identity;
  readonly writes: DurableWrites;
  readonly #file: string;
  readonly #database: Database;
  readonly #unlock: () => void;

  private constructor(
    { path, file, database, unlock }: { path: string; file: string; database: Database; unlock: () => void },
    identity: Identity,
    { onFailure }: DataFolderOptions,
  ) {
    this.path = path;
    this.identity = identity;
    this.#file = file;
    this.#database = database;
    this.#unlock = unlock;
    const commit: Database["commit"] = (changes, revision) => database.commit(changes, revision);
    this.writes = new DurableWrites({ commit, soon: setImmediate, onFailure });
  }

  /** Creates the folder if it does not exist. @throws UsageError, MachineError, when it cannot be used */
  static async open(path: string, options: DataFolderOptions): Promise<DataFolder> {
    makePrivateFolder(path);
    const unlock = lockFolder(path, { command: "stint serve", option: "--data-dir" });
    try {
      const file = `${path}/stint.db`;
      const database = new Database(file);
      const identity = identityIn(database, file, options.nowMs);
      return new DataFolder({ path, file, database, unlock }, identity, options);
    } catch (error) {
      unlock();
      throw error;
    }
  }

  /** Refuses writes when the disk is nearly full. */
  get plugin(): ReturnType<typeof refuseWhenLow> {
    return refuseWhenLow(this.path);
  }

  /** The port of the previous server; 0: there is none. */
  get port(): number {
    return Number(this.#database.property("port") ?? 0);
  }

  set port(port: number) {
    if (port !== this.port) this.#database.setProperty("port", String(port));
  }

  /**
   * Restores the objects into a cluster that has all its listeners, but in which nothing runs yet. From then on each of
   * its writes is stored. @param serveCustom serves the resources of the existing CustomResourceDefinitions @throws
   * MachineError when an object cannot be read
   */
  restoreTo(cluster: Cluster, serveCustom: () => void): void {
    cluster.withServer((server) => {
      const restore = new Restore(server, this.#database.revision);
      const custom = restore.put(this.#objects());
      serveCustom();
      restore.put(custom);
      cluster.observe(this.writes.take);
      restore.finish();
    });
    this.writes.commit();
  }

  *#objects(): Generator<SavedObject> {
    for (const row of this.#database.rows()) yield { ...row, object: this.#read(row) };
  }

  #read({ resource, key, text }: Row): SavedObject["object"] {
    const refuse = (why: string): never => {
      throw new MachineError(damaged(this.#file, `${resource} ${key}: ${why}`));
    };
    let object: SavedObject["object"] | null;
    try {
      object = JSON.parse(text) as SavedObject["object"] | null;
    } catch (error) {
      return refuse((error as Error).message);
    }
    if (typeof object?.metadata !== "object" || object.metadata === null) return refuse("it has no metadata");
    const { namespace, name } = object.metadata;
    const own = namespace === undefined ? name : `${namespace}/${name}`;
    return own === key ? object : refuse(`its metadata is that of ${own}`);
  }

  /** Stores pending writes, and releases the folder. */
  close(): void {
    this.writes.commit();
    this.#database.close();
    this.#unlock();
  }
}

/** @throws MachineError when the database has values that the server does not understand */
function identityIn(database: Database, file: string, nowMs: number): Identity {
  let identity: Identity;
  try {
    identity = keptIdentity(database, nowMs);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new MachineError(damaged(file, `property certificate: ${error.message}`));
  }
  if (!isAccountKey(identity.accountKey))
    throw new MachineError(damaged(file, "property account-key: it is no private key of the curve P-256"));
  return identity;
}
