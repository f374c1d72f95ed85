/**
 * The export `@stint-dev/stint/testing/jest-environment`: turns an environment of jest into one in which failed
 * tests leave their recordings. Jest reports only to its environment how a test has ended.
 *
 * Invariant: nothing of jest is imported, so that it works with any environment of a project.
 */
import { addEndings, type TestEndings } from "./test-endings.ts";

interface Environment {
  /** The global object of the tests. */
  readonly global: object;
  handleTestEvent?(event: any, state: any): void | Promise<void>;
}

/** As of jest's event `test_done`, which comes after the last hook of the test. */
interface EndedTest {
  readonly name: string;
  readonly errors: readonly unknown[];
  readonly parent?: Block;
}

interface Block {
  readonly name: string;
  /** The outermost block has none. */
  readonly parent?: Block;
}

/**
 * @param base such as `TestEnvironment` of jest-environment-node
 * @returns an environment for `testEnvironment` of jest
 */
export function withReports<Base extends new (...args: any[]) => Environment>(base: Base): Base {
  return class extends base {
    readonly #endings: TestEndings;

    constructor(...args: any[]) {
      super(...args);
      this.#endings = addEndings(this.global);
    }

    override async handleTestEvent(event: { readonly name: string; readonly test?: EndedTest }, state: unknown) {
      await super.handleTestEvent?.(event, state);
      if (event.name === "test_done" && event.test !== undefined)
        this.#endings.onEnd?.(fullName(event.test), event.test.errors.length > 0);
    }
  };
}

/** The same as `currentTestName` of jest's expect. */
function fullName({ name, parent }: EndedTest | Block): string {
  return parent?.parent === undefined ? name : `${fullName(parent)} ${name}`;
}
