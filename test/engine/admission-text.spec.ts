/** Names, rendering, field errors and Base64 from the inside. The sentences about names are in the vectors. */
import { writeBase64 } from "../../assembly/admission/base64";
import { FieldErrors, MAX_FIELD_ERRORS } from "../../assembly/admission/field-errors";
import {
  dnsLabelProblems,
  dnsSubdomainPrefixProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  portNameProblems,
  qualifiedNameProblems,
  variableNameProblems,
} from "../../assembly/model/name-rules";
import { JsonNode } from "../../assembly/json/tree";
import { parseTree } from "../../assembly/json/tree-text";
import { MAX_VALUE_CHARS, quote, quoteSlice, renderMap, renderNode } from "../../assembly/admission/render";
import { Writer } from "../../assembly/json/writer";

type Check = (name: string) => string[];

function expectEach(names: string[], check: Check, good: bool): void {
  for (let i = 0; i < names.length; i++) expect(check(names[i]).length == 0).toBe(good, quote(names[i]));
}

function base64(text: string): string {
  const utf8 = String.UTF8.encode(text);
  const writer = new Writer();
  writeBase64(changetype<usize>(utf8), u32(utf8.byteLength), writer);
  return String.UTF8.decodeUnsafe(writer.start, writer.length);
}

describe("names", () => {
  it("are DNS labels", () => {
    expectEach(["a", "0", "a-b", "a--0", "x".repeat(63)], dnsLabelProblems, true);
    expectEach(["", "-", "a-", "-a", "A", "a_b", "a.b", "é", "a ", "x".repeat(64)], dnsLabelProblems, false);
    expect(dnsLabelProblems("X".repeat(64)).length).toBe(2);
    expect(dnsLabelProblems("a.b")[0]).toBe("must not contain dots");
  });

  it("are DNS subdomains", () => {
    expectEach(["a", "a.b", "0.1-2.c", "x".repeat(253)], dnsSubdomainProblems, true);
    expectEach(["", ".", "a.", ".a", "a..b", "a.-b", "A.b", "a_b", "x".repeat(254)], dnsSubdomainProblems, false);
  });

  it("are prefixes of subdomains", () => {
    expectEach(["a", "a-", "my-job-"], dnsSubdomainPrefixProblems, true);
    expectEach(["-", "a.", "My-"], dnsSubdomainPrefixProblems, false);
  });

  it("are qualified names", () => {
    expectEach(["a", "A.b_c-9", "example.com/A", "x".repeat(63), "a.b/" + "x".repeat(63)], qualifiedNameProblems, true);
    expectEach(
      ["", "/a", "a/", "a/b/c", "A.com/b", "_a", "a_", "a b", "é", "x".repeat(64)],
      qualifiedNameProblems,
      false,
    );
  });

  it("are label values", () => {
    expectEach(["", "a", "A_b.c-d", "x".repeat(63)], labelValueProblems, true);
    expectEach(["-", "a-", ".a", "a b", "a/b", "x".repeat(64)], labelValueProblems, false);
  });

  it("are names of ports and variables", () => {
    expectEach(["a", "http-2", "x".repeat(15)], portNameProblems, true);
    expectEach(["", "80", "a--b", "-a", "a-", "A", "a_b", "x".repeat(16)], portNameProblems, false);
    expectEach(["A", "a b", "1", "~"], variableNameProblems, true);
    expectEach(["a=b", "\n", "é", "\u007f"], variableNameProblems, false);
  });
});

describe("values in messages", () => {
  it("are quoted as Go does", () => {
    expect(quote('a"b\\c\n\t\r\u0007\u0001\u007fé')).toBe('"a\\"b\\\\c\\n\\t\\r\\a\\x01\\x7fé"');
    expect(quoteSlice(["A", "B"])).toBe('["A" "B"]');
    expect(renderNode(null)).toBe("null");
  });

  it("show maps sorted, with HTML escaped", () => {
    const map = JsonNode.object();
    map.set("b", JsonNode.string("<&>"));
    map.set("a", JsonNode.string("x"));
    expect(renderMap(map)).toBe('{"a":"x","b":"\\u003c\\u0026\\u003e"}');
    expect(renderMap(null)).toBe("null");
  });

  it("are cut when they are huge", () => {
    expect(quote("x".repeat(100000)).length).toBe(MAX_VALUE_CHARS + 3);
  });
});

describe("FieldErrors", () => {
  it("lists an error once, in order", () => {
    const errors = new FieldErrors();
    errors.required("b");
    errors.invalid("a", "1", "is odd");
    errors.required("b");
    errors.tooLong("c", 1);
    errors.tooMany("d", 3, 1);
    expect(errors.text()).toBe(
      "[b: Required value, a: Invalid value: 1: is odd, c: Too long: may not be more than 1 byte, d: Too many: 3: must have at most 1 item]",
    );
  });

  it("stops at its limit", () => {
    const errors = new FieldErrors();
    for (let i = 0; i < MAX_FIELD_ERRORS + 5; i++) errors.required(i.toString());
    expect(errors.length).toBe(MAX_FIELD_ERRORS);
  });

  it("go through a list as long as one more is kept", () => {
    const input = new Writer();
    input.text('["a","b"]');
    const list = parseTree(input.start, input.length)!;
    const errors = new FieldErrors();
    for (let i = 1; i < MAX_FIELD_ERRORS; i++) errors.required("f");
    expect(errors.after(list.first)!.asString()).toBe("b");
    errors.required("f");
    expect(errors.after(list.first)).toBeNull();
  });
});

describe("Base64", () => {
  it("is what RFC 4648 shows", () => {
    const plain = ["", "f", "fo", "foo", "foob", "fooba", "foobar", "\u00ff\u00fe?>"];
    const encoded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy", "w7/Dvj8+"];
    for (let i = 0; i < plain.length; i++) expect(base64(plain[i])).toBe(encoded[i]);
  });
});
