/** Whole numbers that a double does not hold are refused, and nothing else. */
import { expect, it } from "vitest";
import type { ApiResponse } from "../../../bindings/js/host.ts";
import { withExactNumbers } from "../../../host-node/server/exact-numbers.ts";

function answerTo(body: string | Uint8Array): ApiResponse {
  const passed: ApiResponse = { status: 201, headers: {}, body: "passed on" };
  return withExactNumbers({ handle: () => passed }).handle({
    method: "POST",
    path: "/apis/batch/v1/namespaces/default/jobs",
    headers: {},
    body,
  }) as ApiResponse;
}

it.each(["9007199254740993", "-9007199254740993", "9223372036854775807", "1".repeat(40)])(
  "%s is refused, with its place and what is allowed",
  (number) => {
    const { status, body } = answerTo(`{"spec":{"a":[{"b":1},{"seconds": ${number} }]}}`);
    expect(status).toBe(400);
    expect(JSON.parse(String(body))).toMatchObject({
      reason: "BadRequest",
      message: `spec.a[1].seconds is ${number}, which would be kept as ${Number(number)}: whole numbers beyond 9007199254740991 are not kept exactly; write a quantity as a text, "${number}"`,
    });
  },
);

it("an inexact number is refused in bytes, and in a list at the top, which a JSON patch is", () => {
  const body = new TextEncoder().encode('[{"op":"add","path":"/x","value":9007199254740993}]');
  expect(JSON.parse(String(answerTo(body).body)).message).toContain("[0].value is 9007199254740993");
});

it("an inexact number is found behind other texts, lists and objects", () => {
  const body = String.raw`{"a\"b":{"x":[1,{"y":"}"}]},"l":[[],{},"]",[0, -12345678901234567890]]}`;
  expect(JSON.parse(String(answerTo(body).body)).message).toContain("l[3][1] is -12345678901234567890");
});

it("an inexact number has a place whose names are as they are read", () => {
  const message = JSON.parse(String(answerTo(String.raw`{"a\"b":[{"\u0063":9007199254740993}]}`).body)).message;
  expect(message).toContain('a"b[0].c is 9007199254740993');
});

it.each([
  '{"a":9007199254740991,"b":-9007199254740991}',
  '{"a":9007199254740992,"b":10000000000000000}',
  '{"a":"9007199254740993","b":": 9007199254740993,"}',
  '{"a":0.12345678901234567890,"b":1e20,"c":[1234567890123456]}',
  '{"a":12345678901234567890',
  '{"a":12345678901234567890}}',
  String.raw`{"a":"\\","b":"\", 12345678901234567890 ,"}`,
  "",
])("%s is passed on", (body) => {
  expect(answerTo(body).body).toBe("passed on");
});
