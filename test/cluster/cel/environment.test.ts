/** Expressions as policies and CRDs have them. What they give is what cel-go with Kubernetes' libraries gives. */
import { describe, expect, test } from "vitest";
import { CostBudget } from "../../../cluster/cel/cost.ts";
import { celEnvironment, celValue, compile } from "../../../cluster/cel/environment.ts";

const object = celValue({
  metadata: { name: "abc", labels: { "app": "y", "app.kubernetes.io/name": "x" } },
  spec: {
    replicas: 3,
    ratio: 1.5,
    containers: [
      { name: "a", image: "r/1", resources: { limits: { memory: "1Gi" } } },
      { name: "b", image: "r/2" },
    ],
  },
});
const environment = celEnvironment({ object: "dyn", oldObject: "dyn" });
const run = (expression: string): unknown =>
  compile(expression, environment, ["bool", "string", "int", "double"]).evaluate({ object, oldObject: null });

describe("an expression", () => {
  const cases: Readonly<Record<string, unknown>> = {
    "object.spec.replicas <= 5 && object.spec.ratio > 1.0": true,
    'has(object.metadata.labels) && "app" in object.metadata.labels': true,
    "has(object.spec.nothing)": false,
    'object.metadata.labels["app.kubernetes.io/name"] == "x"': true,
    'object.metadata.?labels.?nothing.orValue("d")': "d",
    "object.spec.containers.all(c, c.image.startsWith('r/'))": true,
    "object.spec.containers.exists_one(c, c.name == 'b')": true,
    "object.spec.containers.filter(c, c.name != 'a').map(c, c.name).join(',')": "b",
    "object.spec.containers.map(c, c.name == 'a', c.image)[0]": "r/1",
    "oldObject == null || object.spec.replicas >= oldObject.spec.replicas": true,
    "object.spec.nothing == 1 || true": true,
    "object.metadata.name.matches('^[a-z]+$')": true,
    "cel.bind(n, object.spec.replicas, n * n)": 9n,
    "duration('1h') < duration('90m')": true,
    "string(object.spec.replicas) + ' pods'": "3 pods",
    "[3, 1, 2].isSorted()": false,
    "[3, 1, 2].sum()": 6n,
    "[3, 1, 2].min() + [3, 1, 2].max()": 4n,
    "['a', 'b', 'a'].lastIndexOf('a')": 2n,
    "sets.contains(['a', 'b'], ['b'])": true,
    "sets.equivalent([1, 2], [2, 1, 1])": true,
    "sets.intersects([1], [2])": false,
    "'a1b22'.findAll('[0-9]+').join(' ')": "1 22",
    "'a1b22'.find('[0-9]+')": "1",
    "'a.b.c'.replace('.', '-', 1)": "a-b.c",
    "'%s has %d of %.1f%%'.format(['x', 3, 2.5])": "x has 3 of 2.5%",
    "quantity(object.spec.containers[0].resources.limits.memory).isGreaterThan(quantity('512Mi'))": true,
    "quantity('1.5').add(quantity('500m')).compareTo(quantity('2'))": 0n,
    "quantity('2k').asInteger()": 2000n,
    "isQuantity('many')": false,
  };
  test.each(Object.entries(cases))("%s", (expression, expected) => expect(run(expression)).toBe(expected));
});

describe("what cannot be evaluated says why in one line", () => {
  const cases: Readonly<Record<string, string>> = {
    "object.spec.nothing == 1": "no such key: nothing",
    "[].min() == 1": "min called on empty list",
    "quantity('many') == quantity('1')": "quantities must match the regular expression",
  };
  test.each(Object.entries(cases))("%s", (expression, message) => expect(() => run(expression)).toThrow(message));
});

describe("what cannot be read is refused before it runs", () => {
  const read =
    (expression: string, types = ["bool"]) =>
    (): unknown =>
      compile(expression, environment, types);
  test("a syntax error", () => expect(read("object.spec.replicas >")).toThrow("Unexpected token"));
  test("an unknown variable", () => expect(read("objekt.spec")).toThrow("Unknown variable: objekt"));
  test("an unknown function", () =>
    expect(read("'a'.grow()")).toThrow("found no matching overload for 'string.grow()'"));
  test("types that do not fit", () => expect(read("1 + 'a' == 2")).toThrow("no such overload: int + string"));
  test("another type than asked for", () => expect(read("'text'")).toThrow("must evaluate to bool"));
  test("a member of an object may be anything", () => expect(read("object.spec.enabled")).not.toThrow());
});

describe("an expression that would keep the server busy", () => {
  const self = celValue(Array.from({ length: 30_000 }, (_, index) => `item-${index}`));
  const list = celEnvironment({ self: "dyn" });
  const evaluate = (expression: string, budget?: CostBudget): unknown =>
    compile(expression, list, "any").evaluate({ self }, budget);
  const exceeded = "operation cancelled: actual cost limit exceeded";

  test.each([
    "self.all(a, self.all(b, a == a))",
    "self.exists(a, self.exists(b, self.exists(c, a == 'x')))",
    "self.all(a, self.all(b, a != 'x' || b == 'y')) || true",
    "self.map(a, self.map(b, a + b)).size() > 0",
    "self.all(a, self.join(',').contains(a))",
    "sets.contains(self, self)",
    "self.exists(a, a.matches('a'.replace('a', self.join(','))))",
  ])("is cancelled: %s", (expression) => {
    expect(() => evaluate(expression)).toThrow(exceeded);
  });

  test.each(["self.all(a, a.matches('^item-[0-9]+$'))", "self.all(a, a.startsWith('item'))", "self.size() == 30000"])(
    "is none: %s",
    (expression) => {
      expect(evaluate(expression)).toBe(true);
      expect(evaluate(expression)).toBe(true);
    },
  );

  test("has a regular expression that takes no longer than its text", () => {
    const text = "a".repeat(100_000);
    expect(compile("self.matches('^(a+)+$')", list, "any").evaluate({ self: `${text}!` })).toBe(false);
    expect(compile("self.find('(a+)+b')", list, "any").evaluate({ self: text })).toBe("");
  });

  test("takes from what there is for several", () => {
    const budget = new CostBudget();
    const spend = (): void => {
      for (let times = 0; times < 1_000; times++) evaluate("self.all(a, a != '')", budget);
    };
    expect(spend).toThrow(
      "validation failed due to running out of cost budget, no further validation rules will be run",
    );
  });
});
