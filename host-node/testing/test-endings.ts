/**
 * Where jest's environment says how a test has ended, to the test's own world. The two have different globals and
 * different modules, so they meet in a property of the test's global object.
 */
const KEY = Symbol.for("stint.dev/test-endings");

export interface TestEndings {
  /** Undefined: nobody wants to know. */
  onEnd?: (test: string, hasFailed: boolean) => void;
}

type World = { [KEY]?: TestEndings };

/** Of a world that an environment of stint/testing/jest-environment has made; undefined: another one has. */
export function endingsIn(world: object): TestEndings | undefined {
  return (world as World)[KEY];
}

/** From now on that world can ask for them. */
export function addEndings(world: object): TestEndings {
  return ((world as World)[KEY] = {});
}
