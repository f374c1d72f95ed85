/** What is asked about an object of a kind, and the answers without what two servers cannot have in common. */
import { type Answer, type Ask, comparable, type Request } from "../both-servers.ts";
import { type KindCase, kindCases, type KindObject } from "./objects.ts";

const TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";

/** All objects of all kinds, with a name for a test. */
export const objects: readonly (readonly [name: string, kind: KindCase, object: KindObject])[] = kindCases.flatMap(
  (kind) => Object.entries(kind.objects).map(([what, object]) => [`${kind.resource}: ${what}`, kind, object] as const),
);

export function pathOf({ root, resource, isNamespaced }: KindCase): string {
  return isNamespaced ? `${root}/namespaces/default/${resource}` : `${root}/${resource}`;
}

/** Plays requests one after another. */
export async function play(ask: Ask, requests: readonly Request[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const request of requests) answers.push(comparable(await ask(request)));
  return answers;
}

/** Creates the object, and asks for its Table. */
export async function createAndPrint(ask: Ask, kind: KindCase, object: KindObject): Promise<unknown[]> {
  const path = pathOf(kind);
  const created = await ask({ method: "POST", path, body: object });
  const printed = await ask({ method: "GET", path: `${path}/${object.metadata.name}`, accept: TABLE });
  return [comparable(created), comparable(withoutAges(printed))];
}

/** What else can be done to it, until it is gone. */
export async function changeAndDelete(ask: Ask, kind: KindCase, object: KindObject): Promise<unknown[]> {
  const path = pathOf(kind);
  const one = `${path}/${object.metadata.name}`;
  const patch = { metadata: { labels: { changed: "yes" } }, spec: { unknown: 1 } };
  const answers = [
    await ask({ method: "POST", path, body: object }),
    await ask({ method: "PATCH", path: one, body: patch }),
    await ask({ method: "PUT", path: one, body: object }),
    await ask({ method: "GET", path: `${path}?fieldSelector=metadata.name%3D${object.metadata.name},spec.none%3Da` }),
    await ask({ method: "DELETE", path: one }),
    await ask({ method: "GET", path: one }),
  ];
  return answers.map(comparable);
}

/**
 * A Table without ages, which depend on the moment, and without descriptions, which clients do not read. The metadata
 * of its rows is left out: upstream's lacks what its internal types keep elsewhere.
 */
function withoutAges({ body, ...answer }: Answer): object {
  const columns: { name: string; description: string }[] = body.columnDefinitions;
  const isAge = columns.map(({ name }) => name === "Age" || name === "TimeAdded");
  const cellsOf = ({ cells }: { cells: unknown[] }): unknown[] =>
    cells.map((cell, index) => (isAge[index] ? "AGE" : cell));
  return {
    ...answer,
    columns: columns.map(({ description: _text, ...column }) => column),
    rows: body.rows.map(cellsOf),
  };
}
