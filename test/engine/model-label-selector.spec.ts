/**
 * Label selectors: what is compiled, what is refused, and what is selected; escapes and duplicate members
 * included.
 */
import "./engine-first";
import { blobAt, blobSize, freeBlob } from "../../assembly/memory/blob";
import { documentOf } from "../../assembly/json/blobs";
import { CompiledSelector, compileSelector, isOneLabel, matchesLabels } from "../../assembly/model/label-selector";
import { blobOfText } from "./support";

function documentOfText(text: string): usize {
  const utf8 = String.UTF8.encode(text);
  return documentOf(changetype<usize>(utf8), u32(utf8.byteLength));
}

function compile(json: string): CompiledSelector {
  const text = documentOfText(json);
  const selector = compileSelector(blobAt(text), blobSize(text));
  freeBlob(text);
  return selector;
}

function selects(json: string, labels: string): bool {
  const compiled = compile(json);
  assert(compiled.problem === null, json);
  const selector = compiled.blob;
  const text = documentOfText(labels);
  const result = matchesLabels(selector, blobAt(text), blobSize(text));
  freeBlob(text);
  freeBlob(selector);
  return result;
}

function problemOf(json: string): string {
  const compiled = compile(json);
  expect(compiled.blob).toBe(0);
  const problem = compiled.problem;
  return problem === null ? "" : problem;
}

describe("a label selector", () => {
  it("asks for every label of matchLabels", () => {
    const selector = '{"matchLabels":{"a":"1","b":""}}';
    expect(selects(selector, '{"b":"","c":"x","a":"1"}')).toBe(true);
    expect(selects(selector, '{"a":"1"}')).toBe(false);
    expect(selects(selector, '{"a":"1","b":"2"}')).toBe(false);
    expect(selects(selector, "{}")).toBe(false);
  });

  it("selects everything when it asks for nothing", () => {
    expect(selects("{}", "{}")).toBe(true);
    expect(selects('{"matchLabels":null,"matchExpressions":[]}', '{"a":"1"}')).toBe(true);
  });

  it("knows four operators, whatever the order of their members", () => {
    expect(selects('{"matchExpressions":[{"values":["1","2"],"operator":"In","key":"a"}]}', '{"a":"2"}')).toBe(true);
    expect(selects('{"matchExpressions":[{"key":"a","operator":"In","values":["1","2"]}]}', '{"a":"3"}')).toBe(false);
    expect(selects('{"matchExpressions":[{"key":"a","operator":"In","values":["1"]}]}', '{"ab":"1"}')).toBe(false);
    expect(selects('{"matchExpressions":[{"key":"a","operator":"NotIn","values":["1"]}]}', '{"a":"1"}')).toBe(false);
    expect(selects('{"matchExpressions":[{"key":"a","operator":"NotIn","values":["1"]}]}', "{}")).toBe(true);
    expect(selects('{"matchExpressions":[{"key":"a","operator":"Exists","values":null}]}', '{"a":""}')).toBe(true);
    expect(selects('{"matchExpressions":[{"key":"a","operator":"Exists"}]}', "{}")).toBe(false);
    expect(selects('{"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]}', '{"a":""}')).toBe(false);
    expect(
      selects(
        '{"matchExpressions":[{"key":"a","operator":"DoesNotExist"},{"key":"b","operator":"Exists"}]}',
        '{"b":"1"}',
      ),
    ).toBe(true);
  });

  it("reads escapes, and the last of members that are there twice", () => {
    expect(selects('{"matchLabels":{"\\u0061":"\\u0031"}}', '{"a":"1"}')).toBe(true);
    expect(selects('{"matchLabels":{"a":"1"}}', '{"\\u0061":"\\u0031"}')).toBe(true);
    expect(selects('{"matchLabels":{"a":"1"}}', '{"a":"1","a":"2"}')).toBe(false);
  });

  it("is none with another operator, or with values where there must be none, or none where there must be", () => {
    expect(problemOf('{"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]}')).toBe(
      '"Gt" is not a valid label selector operator',
    );
    expect(problemOf('{"matchExpressions":[{"key":"a"}]}')).toBe('"" is not a valid label selector operator');
    expect(problemOf('{"matchExpressions":[{"key":"a","operator":"NotIn","values":[]}]}')).toBe(
      "for 'in', 'notin' operators, values set can't be empty",
    );
    expect(problemOf('{"matchExpressions":[{"key":"a","operator":"DoesNotExist","values":["1"]}]}')).toBe(
      "values set must be empty for exists and does not exist",
    );
    expect(problemOf('{"matchLabels":[]}') != "").toBe(true);
  });

  it("knows the one that the API server generates", () => {
    const name = blobOfText("u");
    const value = blobOfText("1");
    const generated = compile('{"matchLabels":{"u":"1"}}').blob;
    const other = compile('{"matchLabels":{"u":"12"}}').blob;
    const more = compile('{"matchLabels":{"u":"1","v":"1"}}').blob;
    const everything = compile("{}").blob;
    expect(isOneLabel(generated, name, value)).toBe(true);
    expect(isOneLabel(other, name, value)).toBe(false);
    expect(isOneLabel(more, name, value)).toBe(false);
    expect(isOneLabel(everything, name, value)).toBe(false);
    freeBlob(generated);
    freeBlob(other);
    freeBlob(more);
    freeBlob(everything);
  });
});
