/**
 * Runs many Jobs whole, at once, in one embedded cluster on virtual time, each with its own outcome, and says
 * what each of them did. Leaves out what they should have done.
 */
import { VirtualClock } from "../../cluster/time/clock.ts";
import { seededRandom } from "../../cluster/values/random.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import {
  CAPACITY,
  type Course,
  evictionOf,
  isOver,
  JOBS_PATH,
  manifestOf,
  newCourse,
  noteJob,
  notePod,
  type Run,
  ScriptedRuntime,
  type Seen,
} from "./courses.ts";

const START_MS = Date.UTC(2026, 0, 1);
/** A Job that has not ended by then never does. */
const MAX_MS = 24 * 3_600_000;

/** @throws Error when the cluster has a problem */
export async function runWhole(runs: readonly Run[]): Promise<Seen[]> {
  const clock = new VirtualClock(START_MS);
  const courses = new Map<string, Course>();
  const runtime = new ScriptedRuntime(clock, courses, (pod) => {
    const { path, body } = evictionOf(pod);
    post(embedded, path, body);
  });
  const fail = (problem: string): never => {
    throw new Error(`in the runs of a forecast: ${problem}`);
  };
  const embedded = await EmbeddedCluster.create({
    clock,
    random: seededRandom(1),
    nodes: [{ nodeName: "node", runtime, podCIDR: "10.244.0.0/14", capacity: CAPACITY }],
    onProblem: fail,
    onFatal: (error) => fail(error.message),
  });
  embedded.cluster.observe(({ resource, type, object }) => {
    if (resource === "jobs") noteJob(courses, type, object, clock.now());
    else if (resource === "pods") notePod(courses, type, object, clock.now());
  });
  embedded.start();
  clock.runDeferred();
  const all = runs.map((run, i) => create(embedded, run, `job-${i}`, courses, clock.now()));
  const goesOn = (course: Course): boolean => !isOver(course, clock.now());
  let left = all.filter(goesOn);
  while (left.length > 0 && clock.now() < START_MS + MAX_MS) {
    for (let i = 0; i < 100; i++) if (!clock.step()) return all.map(({ seen }) => seen);
    left = left.filter(goesOn);
  }
  embedded.stop();
  return all.map(({ seen }) => seen);
}

/** @returns the status, and the answer as text */
function post({ cluster }: EmbeddedCluster, path: string, body: object): { status: number; text: string } {
  const headers = { "content-type": "application/json" };
  const answer = cluster.handle({ method: "POST", path, headers, body: JSON.stringify(body) });
  return { status: answer.status, text: "body" in answer ? String(answer.body) : "" };
}

function create(
  embedded: EmbeddedCluster,
  run: Run,
  name: string,
  courses: Map<string, Course>,
  createdMs: number,
): Course {
  const course = newCourse(run, createdMs);
  courses.set(name, course);
  const { status, text } = post(embedded, JOBS_PATH, manifestOf(run, name));
  if (status !== 201) throw new Error(`refused with ${status}: ${text}`);
  return course;
}
