/**
 * Circles of imports: sets of files that reach each other. A circle has no lowest file, so none of its files can be
 * read, tested or moved without the others. For the tidy tests alone.
 *
 * Invariant: a function of the arrows alone, in any order. Types count: who names a type has to read its file. Leaves
 * out `import()` of values: such a module is loaded when that line runs.
 */
import { importsOf, read } from "./sources.ts";

/** One file imports another. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly isTypeOnly: boolean;
  /** Of all statements between these two files. Empty: for its effect, or a type within an expression. */
  readonly names: readonly string[];
}

/** Files that reach each other. */
export interface Circle {
  /** All of them, sorted. */
  readonly files: readonly string[];
  /** The shortest way from a file through others to itself: its arrows, in order. */
  readonly roundTrip: readonly Arrow[];
  /** Of the round trip the arrow that is least work to cut: types before values, then by the number of names. */
  readonly cheapest: Arrow;
}

/**
 * The imports between these files. A folder stands for its index.ts, and a name without extension for that TypeScript
 * file, as in assembly/.
 *
 * @param files paths relative to the root; imports of any others are left out
 */
export function arrowsBetween(files: readonly string[], sourceOf: (file: string) => string = read): Arrow[] {
  const known = new Set(files);
  return files.flatMap((from) => {
    const arrows = new Map<string, Arrow>();
    for (const { target, isTypeOnly, isDynamic, names } of importsOf(from, sourceOf(from))) {
      if (target === undefined || isDynamic) continue;
      const to = [target, `${target}.ts`, `${target}/index.ts`].find((file) => known.has(file));
      if (to === undefined) continue;
      const before = arrows.get(to);
      arrows.set(to, {
        from,
        to,
        isTypeOnly: isTypeOnly && before?.isTypeOnly !== false,
        names: [...(before?.names ?? []), ...names],
      });
    }
    return [...arrows.values()];
  });
}

/** All circles among the arrows, the largest first. A file that imports itself is a circle of one. */
export function circlesOf(arrows: readonly Arrow[]): Circle[] {
  const from = Map.groupBy(arrows, (arrow) => arrow.from);
  return componentsOf(from)
    .map((files) => {
      const inside = new Set(files);
      return { files, within: arrows.filter((arrow) => inside.has(arrow.from) && inside.has(arrow.to)) };
    })
    .filter(({ within }) => within.length > 0)
    .map(({ files, within }) => {
      const roundTrip = shortestRoundTrip(files, within);
      const [cheapest] = roundTrip.toSorted(
        (a, b) => Number(b.isTypeOnly) - Number(a.isTypeOnly) || a.names.length - b.names.length,
      );
      return { files, roundTrip, cheapest: cheapest! };
    })
    .sort((a, b) => b.files.length - a.files.length || (a.files[0]! < b.files[0]! ? -1 : 1));
}

/** For the developer: the round trip, the arrow to cut, and which files are in the circle besides. */
export function sentenceOf({ files, roundTrip, cheapest }: Circle): string {
  const way = [...roundTrip.map(({ from }) => from), roundTrip[0]!.from].join(" -> ");
  const what = cheapest.isTypeOnly ? "the type" : "the value";
  const names = cheapest.names.length > 0 ? `${what}${cheapest.names.length > 1 ? "s" : ""} ` : "";
  const cut = `cut ${cheapest.from} -> ${cheapest.to}: ${names}${cheapest.names.join(", ")}`.replace(/: $/, "");
  const others = files.filter((file) => !roundTrip.some(({ from }) => from === file));
  return `${way}; ${cut}${others.length > 0 ? `; ${others.length} more: ${others.join(", ")}` : ""}`;
}

/** Tarjan's strongly connected components, each sorted. */
function componentsOf(from: ReadonlyMap<string, readonly Arrow[]>): string[][] {
  const found: string[][] = [];
  const open: string[] = [];
  const numbers = new Map<string, number>();
  const closed = new Set<string>();

  /** Returns the smallest number among the open files that this one reaches. */
  const visit = (file: string): number => {
    const number = numbers.size;
    let lowest = number;
    numbers.set(file, number);
    open.push(file);
    for (const { to } of from.get(file) ?? []) {
      if (!closed.has(to)) lowest = Math.min(lowest, numbers.get(to) ?? visit(to));
    }
    if (lowest === number) {
      const component = open.splice(open.indexOf(file));
      for (const member of component) closed.add(member);
      found.push(component.sort());
    }
    return lowest;
  };
  for (const file of from.keys()) if (!numbers.has(file)) visit(file);
  return found;
}

function shortestRoundTrip(files: readonly string[], arrows: readonly Arrow[]): Arrow[] {
  const from = Map.groupBy(arrows, (arrow) => arrow.from);
  return files.map((file) => roundTripOf(file, from)).reduce((best, way) => (way.length < best.length ? way : best));
}

/** Breadth first. Each file of a component can reach each other one, so there is a way. */
function roundTripOf(file: string, from: ReadonlyMap<string, readonly Arrow[]>): Arrow[] {
  const ways = new Map<string, Arrow[]>([[file, []]]);
  for (const [reached, way] of ways) {
    for (const arrow of from.get(reached) ?? []) {
      if (arrow.to === file) return [...way, arrow];
      if (!ways.has(arrow.to)) ways.set(arrow.to, [...way, arrow]);
    }
  }
  throw new Error(`${file} does not reach itself: it is in no circle`);
}
