/**
 * How jest's environment reports the end of a test to the test's own world. The two have different globals and
 * different modules, so they share a property of the test's global object.
 */
const KEY = Symbol.for("stint.dev/test-endings");

export interface TestEndings {
  /** Undefined: there is no listener. */
  onEnd?: (test: string, hasFailed: boolean) => void;
}

type World = { [KEY]?: TestEndings };

/** Of a world that an environment of testing/jest-environment has made; undefined: another environment has. */
export function endingsIn(world: object): TestEndings | undefined {
  return (world as World)[KEY];
}

/** From now on that world can get them. */
export function addEndings(world: object): TestEndings {
  return ((world as World)[KEY] = {});
}
