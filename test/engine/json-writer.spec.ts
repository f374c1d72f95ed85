/**
 * The writer: escapes as Go's encoder makes them, numbers at their extremes, and that the reader can read all of it.
 */
import * as reader from "../../assembly/json/reader";
import { Writer } from "../../assembly/json/writer";
import { blobAt, blobSize } from "../../assembly/memory/blob";
import { blobOfText, textAt } from "./support";

const out = new Writer(1);

function written(): string {
  const text = textAt(out.start, out.length);
  out.reset();
  return text;
}

function quoted(text: string): string {
  const blob = blobOfText(text);
  out.quoted(blobAt(blob), blobSize(blob));
  return written();
}

function queryValue(text: string): string {
  out.queryValue(blobOfText(text));
  return written();
}

function integer(value: i64): string {
  out.integer(value);
  return written();
}

function hex(value: u64): string {
  out.hex(value);
  return written();
}

function number(value: f64): string {
  out.number(value);
  return written();
}

describe("values of a query", () => {
  it("have everything escaped that may mean something in a path", () => {
    expect(queryValue("azAZ09-._")).toBe("azAZ09-._");
    expect(queryValue("@[`{/:?&=#% +\n~")).toBe("%40%5B%60%7B%2F%3A%3F%26%3D%23%25%20%2B%0A%7E");
    expect(queryValue("é")).toBe("%C3%A9");
    expect(queryValue("")).toBe("");
  });
});

describe("strings", () => {
  it("escape quotes, backslashes and control characters, and nothing else", () => {
    expect(quoted('a"b\\c/é€😀')).toBe('"a\\"b\\\\c/é€😀"');
    expect(quoted("\n\r\t\b\f\0\x1f\x7f")).toBe('"\\n\\r\\t\\u0008\\u000c\\u0000\\u001f\x7f"');
    expect(quoted("")).toBe('""');
  });

  it("are read back as they were, every byte in every place of a block", () => {
    let wrong = 0;
    for (let before = 0; before < 20; ++before) {
      for (let c = 0; c < 128; ++c) {
        const text = "x".repeat(before) + String.fromCharCode(c) + "y";
        const blob = blobOfText(text);
        out.reset();
        out.quoted(blobAt(blob), blobSize(blob));
        reader.open(out.start, out.length);
        if (!reader.readString() || !reader.atEnd() || textAt(reader.stringAt(), reader.stringSize()) != text) ++wrong;
      }
    }
    out.reset();
    expect(wrong).toBe(0);
  });
});

describe("numbers", () => {
  it("are written in full", () => {
    expect(integer(0)).toBe("0");
    expect(integer(-1)).toBe("-1");
    expect(integer(10)).toBe("10");
    expect(integer(i64.MAX_VALUE)).toBe("9223372036854775807");
    expect(integer(i64.MIN_VALUE)).toBe("-9223372036854775808");
    expect(integer(1234567890123456789)).toBe("1234567890123456789");
  });

  it("are null where they are not finite", () => {
    expect(number(1767323045678)).toBe("1767323045678");
    expect(number(-1)).toBe("-1");
    expect(number(NaN)).toBe("null");
    expect(number(Infinity)).toBe("null");
    expect(number(-Infinity)).toBe("null");
  });

  it("have no leading zeros in hexadecimal", () => {
    expect(hex(0)).toBe("0");
    expect(hex(9)).toBe("9");
    expect(hex(0x10)).toBe("10");
    expect(hex(0x18a3bf2c9e5d0b10)).toBe("18a3bf2c9e5d0b10");
    expect(hex(u64.MAX_VALUE)).toBe("ffffffffffffffff");
  });
});

describe("times", () => {
  it("are quoted", () => {
    out.time(1767323045678);
    out.byte(0x20);
    out.microTime(1767323045678);
    expect(written()).toBe('"2026-01-02T03:04:05Z" "2026-01-02T03:04:05.678000Z"');
  });
});

describe("the buffer", () => {
  it("grows from one byte and keeps its content", () => {
    const small = new Writer(1);
    let expected = "";
    for (let i = 0; i < 1000; ++i) {
      small.integer(i);
      small.text(",");
      expected += i.toString() + ",";
    }
    expect(textAt(small.start, small.length)).toBe(expected);
  });

  it("starts over with reset and keeps its memory", () => {
    const writer = new Writer(64);
    writer.text("first");
    const start = writer.start;
    writer.reset();
    expect(writer.length).toBe(0);
    writer.text("2nd");
    expect(writer.start).toBe(start);
    expect(textAt(writer.start, writer.length)).toBe("2nd");
  });

  it("takes what was written past it by hand", () => {
    const writer = new Writer(2);
    writer.text("ab");
    store<u8>(writer.grow(1), 0x63);
    writer.length += 1;
    expect(textAt(writer.start, writer.length)).toBe("abc");
  });
});
