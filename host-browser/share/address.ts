/**
 * The whole state of the page as the fragment of its address, `#v1/…`, and back. A fragment never leaves the browser.
 *
 * Invariant: decoding an encoded state returns the same state, and an untrusted fragment gives a state within all
 * limits or one sentence that says what is wrong. A scenario that came from a lesson is written as the lesson's id and
 * what differs, so an untouched lesson takes some fifty characters. Leaves out the page: it writes the fragment and
 * reads it.
 */
import { fnv1a } from "../../cluster/values/fnv1a.ts";
import { MAX_INPUTS, MAX_SPAN_MS, MAX_YAML_LENGTH, type Scenario } from "../../cluster/simulation/scenario.ts";
import { fail, integer, list, matching, record, SharedDataError, text } from "./fields.ts";
import { readInputs, readNodes, readOutcomes, readScenario, readSeed, readVersion } from "./read-scenario.ts";
import { squeeze, unsqueeze } from "./squeeze.ts";
import { applyChange, changeOf } from "./text-change.ts";

/** Some programs truncate longer addresses when users send them. The page warns about it. */
export const LONG_ADDRESS = 2_000;
/** Longer ones are refused unread. */
export const MAX_ADDRESS = 1_000_000;

const VERSION = "v1";

/** The heat map of differences cannot be shared: an address has one branch. */
export const SHARED_HEAT_MODES = ["worst", "attempts"] as const;
export type SharedHeatMode = (typeof SHARED_HEAT_MODES)[number];

export interface SharedState {
  readonly scenario: Scenario;
  /** Id of the lesson that the scenario came from. */
  readonly lesson?: string;
  /** The position of the playhead. */
  readonly atMs: number;
  /** Name of the chosen panel. */
  readonly panel: string;
  /** What cells of a heat map show; absent: the last state. */
  readonly heatMode?: SharedHeatMode;
  /** The version of the engine that made the shared run, and the run's digest; empty: the scenario had not run. */
  readonly engineVersion: string;
  readonly digest: string;
}

/** Finds the scenario of a lesson by its id. */
export type FindScenario = (lesson: string) => Promise<Scenario | undefined>;

const PARTS = ["seed", "nodes", "outcomes", "kubernetes"] as const;
/**
 * Lesson, fingerprint of its manifest, change of its manifest, parts that differ, inputs (how many of the lesson's,
 * then others), whole scenario, time, panel, mode of heat maps, engine version, digest.
 */
const STATE_FIELDS = ["l", "f", "y", ...PARTS, "i", "s", "t", "p", "m", "e", "d"];

/** Begins with `#`. */
export async function writeAddress(state: SharedState, find: FindScenario): Promise<string> {
  const lesson = state.lesson === undefined ? undefined : await find(state.lesson);
  const { scenario } = state;
  const origin = lesson === undefined ? { s: scenario } : { l: state.lesson, ...differences(lesson, scenario) };
  const content = {
    ...origin,
    t: state.atMs,
    p: state.panel,
    m: state.heatMode,
    e: state.engineVersion,
    d: state.digest,
  };
  return `#${VERSION}/${await squeeze(JSON.stringify(content))}`;
}

/**
 * The state of a fragment, with or without its `#`. Undefined: there is none in it.
 * @throws SharedDataError with the sentence for the page
 */
export async function readAddress(fragment: string, find: FindScenario): Promise<SharedState | undefined> {
  const content = fragment.replace(/^#/, "");
  if (content === "") return undefined;
  if (content.length > MAX_ADDRESS)
    throw new SharedDataError(`the address is ${content.length} characters long; allowed are ${MAX_ADDRESS}`);
  const [, version = "", squeezed = ""] = /^(v[0-9]{1,6})\/(.*)$/s.exec(content) ?? [];
  if (version === "") return undefined;
  if (version !== VERSION)
    throw new SharedDataError(
      `the address is of version ${version}, and this page reads ${VERSION}: a newer page may read it`,
    );
  return readState(parsed(await unsqueeze(squeezed)), find);
}

async function readState(content: unknown, find: FindScenario): Promise<SharedState> {
  const given = record(content, "the address", STATE_FIELDS);
  const { l: lesson } = given;
  const id = lesson === undefined ? undefined : matching(lesson, "l", /^[a-z0-9-]{1,80}$/, "the id of a lesson");
  return {
    scenario: id === undefined ? readScenario(given["s"]) : await fromLesson(id, given, find),
    ...(id === undefined ? {} : { lesson: id }),
    atMs: integer(given["t"], "t", 0, MAX_SPAN_MS),
    panel: matching(given["p"], "p", /^[a-z0-9-]{0,40}$/, "the name of a panel"),
    ...(given["m"] === undefined ? {} : { heatMode: readHeatMode(given["m"]) }),
    engineVersion: text(given["e"], "e", 80),
    digest: matching(given["d"], "d", /^[0-9a-f]{0,64}$/, "hexadecimal digits"),
  };
}

function readHeatMode(given: unknown): SharedHeatMode {
  return SHARED_HEAT_MODES.find((mode) => mode === given) ?? fail("m", given, SHARED_HEAT_MODES.join(" or "));
}

async function fromLesson(id: string, given: Readonly<Record<string, unknown>>, find: FindScenario): Promise<Scenario> {
  const lesson = await find(id);
  if (lesson === undefined)
    throw new SharedDataError(`the address names the lesson ${id}, which this page does not have`);
  const kubernetes =
    given["kubernetes"] === undefined ? lesson.kubernetes : readVersion(given["kubernetes"], "kubernetes");
  return {
    yaml: given["y"] === undefined ? lesson.yaml : changedYaml(id, lesson.yaml, given),
    seed: given["seed"] === undefined ? lesson.seed : readSeed(given["seed"], "seed"),
    nodes: given["nodes"] === undefined ? lesson.nodes : readNodes(given["nodes"], "nodes"),
    outcomes: given["outcomes"] === undefined ? lesson.outcomes : readOutcomes(given["outcomes"], "outcomes"),
    inputs: given["i"] === undefined ? lesson.inputs : changedInputs(lesson.inputs, given["i"]),
    ...(kubernetes === undefined ? {} : { kubernetes }),
  };
}

/** A change fits only the text from which it was made, so it carries that text's fingerprint. */
function changedYaml(id: string, yaml: string, given: Readonly<Record<string, unknown>>): string {
  const [kept, keptAtEnd, between, ...rest] = list(given["y"], "y", 3);
  const change = [
    integer(kept, "y[0]", 0, MAX_YAML_LENGTH),
    integer(keptAtEnd, "y[1]", 0, MAX_YAML_LENGTH),
    text(between, "y[2]", MAX_YAML_LENGTH),
  ] as const;
  const changed = rest.length === 0 && given["f"] === fingerprint(yaml) ? applyChange(yaml, change) : undefined;
  if (changed === undefined || changed.length > MAX_YAML_LENGTH)
    throw new SharedDataError(
      `the address has changes of the lesson ${id}, and that lesson is another one now: it cannot be shown`,
    );
  return changed;
}

function changedInputs(inputs: Scenario["inputs"], change: unknown): Scenario["inputs"] {
  const [kept, ...others] = list(change, "i", MAX_INPUTS + 1);
  return readInputs([...inputs.slice(0, integer(kept, "i[0]", 0, inputs.length)), ...others], "inputs");
}

function differences(lesson: Scenario, scenario: Scenario): object {
  const parts = PARTS.filter((part) => !isSame(lesson[part], scenario[part]));
  return {
    ...(lesson.yaml === scenario.yaml ? {} : { f: fingerprint(lesson.yaml), y: changeOf(lesson.yaml, scenario.yaml) }),
    ...Object.fromEntries(parts.map((part) => [part, scenario[part]])),
    ...(isSame(lesson.inputs, scenario.inputs) ? {} : { i: inputChange(lesson.inputs, scenario.inputs) }),
  };
}

/** A fork keeps what was done before it. */
function inputChange(before: Scenario["inputs"], after: Scenario["inputs"]): readonly [number, ...Scenario["inputs"]] {
  const differs = after.findIndex((input, i) => !isSame(input, before[i]));
  const kept = differs < 0 ? after.length : differs;
  return [kept, ...after.slice(kept)];
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function fingerprint(content: string): string {
  return fnv1a(content).toString(16);
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new SharedDataError("the address does not hold what this page writes into one");
  }
}
