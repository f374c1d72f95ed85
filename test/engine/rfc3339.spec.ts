/** Timestamps from the inside: addresses, lengths and what is written around them. */
import { MICRO_TIME_BYTES, parseTime, TIME_BYTES, writeMicroTime, writeTime } from "../../assembly/time/rfc3339";

describe("writeTime and writeMicroTime", () => {
  it("write exactly their bytes", () => {
    const buffer = new Uint8Array(32);
    const at = buffer.dataStart;
    buffer.fill(0xa5);
    expect(writeTime(1, at)).toBe(at + TIME_BYTES);
    expect(buffer[<i32>TIME_BYTES]).toBe(0xa5);
    expect(String.UTF8.decodeUnsafe(at, TIME_BYTES)).toBe("1970-01-01T00:00:00Z");
    expect(writeMicroTime(1, at)).toBe(at + MICRO_TIME_BYTES);
    expect(buffer[<i32>MICRO_TIME_BYTES]).toBe(0xa5);
    expect(String.UTF8.decodeUnsafe(at, MICRO_TIME_BYTES)).toBe("1970-01-01T00:00:00.001000Z");
  });
});

describe("parseTime", () => {
  it("reads no further than its end", () => {
    const text = String.UTF8.encode("2026-01-02T03:04:05.678Z");
    const at = changetype<usize>(text);
    expect(parseTime(at, 24)).toBe(1767323045678);
    for (let length: usize = 0; length < 24; length++) expect(isNaN(parseTime(at, length))).toBe(true);
  });
});
