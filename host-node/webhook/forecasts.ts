/**
 * Asks the engine for forecasts. Invariant: the engine gets only the fields that a forecast reads, so that the forecast
 * of a large Job costs no more than that of a small one, and it is the same forecast. A test compares them.
 */
import type { Engine, Forecast } from "../../bindings/js/engine.ts";
import { type Loose, objectIn } from "../manifests/job-in.ts";

const OF_POD_SPEC = ["restartPolicy", "terminationGracePeriodSeconds", "overhead", "resources"];
const OF_CONTAINER = ["restartPolicy", "restartPolicyRules", "resources"];

export class Forecasts {
  readonly #engine: Pick<Engine, "forecast">;
  readonly #disruptions: number;
  readonly #known = new Map<Loose, Forecast>();

  /** @param disruptions how many pods are evicted */
  constructor(engine: Pick<Engine, "forecast">, disruptions: number) {
    this.#engine = engine;
    this.#disruptions = disruptions;
  }

  /** Times count from the start of the Job. */
  of(job: Loose): Forecast {
    const known = this.#known.get(job);
    if (known !== undefined) return known;
    const forecast = this.ofEssentials(essentialsOf(job));
    this.#known.set(job, forecast);
    return forecast;
  }

  /** The same for a Job that `essentialsOf` has reduced. */
  ofEssentials(essentials: Loose): Forecast {
    return this.#engine.forecast({ job: essentials, assumptions: { disruptions: this.#disruptions } }, 0);
  }
}

/** The Job with only the fields that a forecast reads. A field of a wrong type stays, to be refused. */
export function essentialsOf(job: Loose): Loose {
  const spec = objectIn(job["spec"]);
  const template = objectIn(spec["template"]);
  const podSpec = objectIn(template["spec"]);
  if (podSpec !== template["spec"]) return { spec: job["spec"] };
  const containersOf = (name: string): Loose => {
    const containers: unknown = podSpec[name];
    if (!Array.isArray(containers)) return containers === undefined ? {} : { [name]: containers };
    return { [name]: containers.map((of: unknown) => (objectIn(of) === of ? pick(objectIn(of), OF_CONTAINER) : of)) };
  };
  const pod = { ...pick(podSpec, OF_POD_SPEC), ...containersOf("containers"), ...containersOf("initContainers") };
  return { spec: { ...spec, template: { spec: pod } } };
}

function pick(object: Loose, names: readonly string[]): Loose {
  return Object.fromEntries(names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])));
}
