/** The short texts of the API's schema: what is written is read back, and anything else is refused. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readSchemaText, schemaText } from "../../../../cluster/apiserver/schema/schema-text.ts";

describe("the texts of a schema", () => {
  test.each([
    [
      "Job",
      "kind,apiVersion,metadata:ObjectMeta!,spec:JobSpec!,items:[]KeyToPath,mode:int32,policy~PullPolicy,uid~types.UID",
    ],
    ["EventsEvent", "Event|count:int32+,note?,$ref,labels:map[string]string+"],
  ])("%s is read, and written the same", (name, text) => {
    expect(schemaText(name, readSchemaText(name, text))).toBe(text);
  });

  test("say which fields are left out when they are empty", () => {
    const { goName, fields } = readSchemaText(
      "EventsEvent",
      "Event|a,b+,c:int32,d:int32+,e:[]X,f!,g~G,h?,i:int64!,j:[]X!,k:X!,l:Time!",
    );
    expect(goName).toBe("Event");
    expect(fields).toEqual([
      { name: "a", type: "string", omitEmpty: true },
      { name: "b", type: "string", omitEmpty: false },
      { name: "c", type: "int32", omitEmpty: false },
      { name: "d", type: "int32", omitEmpty: true },
      { name: "e", type: "[]X", omitEmpty: true },
      { name: "f", type: "string", omitEmpty: false, absent: "" },
      { name: "g", type: "string", omitEmpty: true, goType: "v1.G" },
      { name: "h", type: "string", omitEmpty: false, absent: null },
      { name: "i", type: "int64", omitEmpty: false, absent: 0 },
      { name: "j", type: "[]X", omitEmpty: false, absent: null },
      { name: "k", type: "X", omitEmpty: false, absent: {} },
      { name: "l", type: "Time", omitEmpty: false, absent: null },
    ]);
  });

  test.each(["schema", "schema-served"])("of build/%s.json are all read", (file) => {
    const { types } = JSON.parse(readFileSync(`build/${file}.json`, "utf8")) as { types: Record<string, string> };
    for (const [name, text] of Object.entries(types)) expect(schemaText(name, readSchemaText(name, text))).toBe(text);
  });

  test("that are none are refused", () => {
    expect(() => readSchemaText("Job", "kind,=5")).toThrow('build/schema.json: Job has "=5", which is no field');
  });
});
