/** Strings, numbers and sets of the cold paths (assembly/json/text.ts), and members in the order of their names. */
import "./engine-first";
import {
  asciiLowerCase,
  decimal,
  integerOf,
  isListed,
  replaced,
  StringSet,
  unsignedDecimal,
  wordsOf,
} from "../../assembly/json/text";
import { JsonNode } from "../../assembly/json/tree";
import { childrenByKey } from "../../assembly/json/tree-order";

describe("numbers", () => {
  test("are written in decimal to the ends of their types", () => {
    expect(decimal(0)).toBe("0");
    expect(decimal(-1)).toBe("-1");
    expect(decimal(i64.MAX_VALUE)).toBe("9223372036854775807");
    expect(decimal(i64.MIN_VALUE)).toBe("-9223372036854775808");
    expect(unsignedDecimal(u64.MAX_VALUE)).toBe("18446744073709551615");
  });

  test("are read with and without a minus", () => {
    expect(integerOf("0")).toBe(0);
    expect(integerOf("999999999999999999")).toBe(999999999999999999);
    expect(integerOf("-42")).toBe(-42);
  });
});

describe("texts", () => {
  test("have each occurrence replaced, at the ends too", () => {
    expect(replaced("a", "~", "~0")).toBe("a");
    expect(replaced("~a~~", "~", "~0")).toBe("~0a~0~0");
  });

  test("lose ASCII capitals and the Kelvin sign, and nothing else", () => {
    expect(asciiLowerCase("Example.COM/[Z]")).toBe("example.com/[z]");
    expect(asciiLowerCase("\u212aÄ")).toBe("kÄ");
  });
});

describe("lists of words", () => {
  test("hold whole words only", () => {
    expect(isListed("In", "In,NotIn")).toBe(true);
    expect(isListed("NotIn", "In,NotIn")).toBe(true);
    expect(isListed("Not", "In,NotIn")).toBe(false);
    expect(isListed("otIn", "In,NotIn")).toBe(false);
    expect(isListed("In,NotIn", "In,NotIn")).toBe(false);
    expect(isListed("", "In,NotIn")).toBe(false);
    expect(isListed("", "")).toBe(false);
  });

  test("are taken apart", () => {
    const words = wordsOf("In,NotIn");
    expect(words.length).toBe(2);
    expect(words[0]).toBe("In");
    expect(words[1]).toBe("NotIn");
    expect(wordsOf("one").length).toBe(1);
  });
});

describe("sets and orders", () => {
  test("a set says what is new", () => {
    const set = new StringSet();
    expect(set.add("a")).toBe(true);
    expect(set.add("a")).toBe(false);
    expect(set.has("a")).toBe(true);
    expect(set.has("b")).toBe(false);
  });

  test("members come in the order of their names, however many there are", () => {
    const node = JsonNode.object();
    for (let i = 0; i < 500; i++) node.set("k" + decimal((i * 7919) % 500), JsonNode.boolean(true));
    const nodes = childrenByKey(node);
    expect(nodes.length).toBe(500);
    let ordered = true;
    for (let i = 1; i < nodes.length; i++) ordered = ordered && nodes[i - 1].key < nodes[i].key;
    expect(ordered).toBe(true);
    expect(childrenByKey(JsonNode.object()).length).toBe(0);
  });
});
