/**
 * The export `stint/testing/jest-environment`: makes of an environment of jest one in which failed tests leave their
 * recordings. Jest tells only its environment how a test has ended.
 *
 * Invariant: nothing of jest is imported, so that it takes whichever environment a project has.
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
  /** The block that all others are in has none. */
  readonly parent?: Block;
}

/** @param base such as `TestEnvironment` of jest-environment-node @returns one for `testEnvironment` of jest */
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

/** As `currentTestName` of jest's expect has it. */
function fullName({ name, parent }: EndedTest | Block): string {
  return parent?.parent === undefined ? name : `${fullName(parent)} ${name}`;
}
