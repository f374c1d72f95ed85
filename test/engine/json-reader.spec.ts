/**
 * The pull reader against JSON itself: a walk over a document writes it again in one spelling, a skip ends exactly
 * behind it, and a document that was cut anywhere is an error although the missing bytes lie right behind the end.
 */
import * as reader from "../../assembly/json/reader";
import { Writer } from "../../assembly/json/writer";
import { blobAt, blobSize } from "../../assembly/memory/blob";
import { blobOfText, bufferOf, Random, textAt } from "./support";

const out = new Writer();

function openText(text: string): void {
  const blob = blobOfText(text);
  reader.open(blobAt(blob), blobSize(blob));
}

/** Writes the value that the reader is at, without white space and with the escapes that are needed. */
function walk(): void {
  const head = reader.peek();
  if (head == 0x7b) {
    if (!reader.enterObject()) return;
    out.byte(0x7b);
    for (let first = true; reader.nextKey(); first = false) {
      if (!first) out.byte(0x2c);
      out.quoted(reader.stringAt(), reader.stringSize());
      out.byte(0x3a);
      walk();
    }
    out.byte(0x7d);
  } else if (head == 0x5b) {
    if (!reader.enterArray()) return;
    out.byte(0x5b);
    for (let first = true; reader.nextElement(); first = false) {
      if (!first) out.byte(0x2c);
      walk();
    }
    out.byte(0x5d);
  } else if (head == 0x22) {
    if (reader.readString()) out.quoted(reader.stringAt(), reader.stringSize());
  } else if (head == 0x74 || head == 0x66) {
    out.text(reader.readBoolean() ? "true" : "false");
  } else if (head == 0x6e) {
    if (reader.readNull()) out.text("null");
    else reader.fail("not null");
  } else {
    out.integer(reader.readInteger());
  }
}

/** What a walk over the document writes, or what is wrong with the document. */
function walked(text: string): string {
  openText(text);
  out.reset();
  walk();
  return reader.atEnd()
    ? textAt(out.start, out.length)
    : "error at " + reader.errorOffset().toString() + ": " + reader.errorText()!;
}

function stringOf(json: string): string {
  openText(json);
  return reader.readString() && reader.atEnd()
    ? textAt(reader.stringAt(), reader.stringSize())
    : "error: " + reader.errorText()!;
}

function integerOf(json: string): i64 {
  openText(json);
  return reader.readInteger(-7);
}

function repeat(text: string, times: i32): string {
  return text.repeat(times);
}

/** A random document of objects, arrays and strings full of what a skip could trip over. */
function randomValue(random: Random, depth: i32): string {
  const kind = random.below(depth == 0 ? 4 : 8);
  if (kind == 0) return random.chance(50) ? "null" : "true";
  if (kind == 1) return (random.below(2000) - 1000).toString();
  if (kind < 4) return randomString(random);
  const isObject = kind < 6;
  let text = isObject ? "{" : "[";
  const members = random.below(5);
  for (let i = 0; i < members; ++i) {
    if (i > 0) text += random.chance(20) ? " ,\n" : ",";
    if (isObject) text += randomString(random) + (random.chance(20) ? ": " : ":");
    text += randomValue(random, depth - 1);
  }
  return text + (isObject ? "}" : "]");
}

function randomString(random: Random): string {
  let text = '"';
  const length = random.below(24);
  for (let i = 0; i < length; ++i) {
    const kind = random.below(12);
    if (kind == 0) text += "\\\\";
    else if (kind == 1) text += '\\"';
    else if (kind == 2) text += "\\u0041";
    else if (kind == 3) text += "{";
    else if (kind == 4) text += "]";
    else if (kind == 5) text += "é";
    else text += String.fromCharCode(0x61 + random.below(26));
  }
  return text + '"';
}

describe("a walk", () => {
  it("reads every kind of value", () => {
    expect(walked(' { "a" : [ 1 , -2, true,false , null ] , "b":{} ,"c":[ ],"d":"" } ')).toBe(
      '{"a":[1,-2,true,false,null],"b":{},"c":[],"d":""}',
    );
    expect(walked("[\t\r\n]")).toBe("[]");
    expect(walked("5")).toBe("5");
  });

  it("refuses what is not JSON and says where", () => {
    expect(walked('{"a":1,}')).toBe("error at 7: a comma has nothing behind it");
    expect(walked("[1,]")).toBe("error at 3: a comma has nothing behind it");
    expect(walked("[1 2]")).toBe("error at 3: expected ',' or the end of the object or array");
    expect(walked('{"a" 1}')).toBe("error at 5: expected ':' behind a member name");
    expect(walked("{a:1}")).toBe("error at 1: expected a member name in double quotes");
    expect(walked("{} x")).toBe("error at 3: something follows the end of the value");
    expect(walked("[1}")).toBe("error at 2: expected ',' or the end of the object or array");
    expect(walked('["\\x"]')).toBe("error at 2: a string has an unknown escape");
    expect(walked("[tru]")).toBe("error at 1: expected true or false");
    expect(walked("[nul]")).toBe("error at 1: not null");
    expect(walked("")).toBe("error at 0: expected an integer");
    expect(walked("[1.5]")).toBe("error at 2: expected an integer, got a number with a fraction or an exponent");
  });

  it("refuses more than 512 objects in one another, and takes 512", () => {
    expect(walked(repeat("[", 512) + repeat("]", 512)).length).toBe(1024);
    expect(walked(repeat("[", 513) + repeat("]", 513))).toBe(
      "error at 512: objects and arrays are nested deeper than 512",
    );
  });

  it("takes a million brackets without a stack", () => {
    openText(repeat("[", 100000));
    reader.skipValue();
    expect(reader.ok()).toBe(false);
  });
});

describe("integers", () => {
  it("span 64 bits but for the lowest", () => {
    expect(integerOf("0")).toBe(0);
    expect(integerOf("-0")).toBe(0);
    expect(integerOf("9223372036854775807")).toBe(i64.MAX_VALUE);
    expect(integerOf("-9223372036854775807")).toBe(-i64.MAX_VALUE);
    expect(reader.ok()).toBe(true);
    integerOf("9223372036854775808");
    expect(reader.errorText()).toBe("the number does not fit 64 bits");
    integerOf("99999999999999999999999999");
    expect(reader.ok()).toBe(false);
  });

  it("are absent for null, and for nothing else", () => {
    expect(integerOf("null")).toBe(-7);
    expect(reader.ok()).toBe(true);
    integerOf('"1"');
    expect(reader.errorText()).toBe("expected an integer");
    integerOf("-");
    expect(reader.ok()).toBe(false);
  });
});

describe("strings", () => {
  it("resolve every escape of JSON", () => {
    expect(stringOf('"\\"\\\\\\/\\b\\f\\n\\r\\t"')).toBe('"\\/\b\f\n\r\t');
    expect(stringOf('"\\u0041\\u00e9\\u20ac\\u0000"')).toBe("Aé€\0");
    expect(stringOf('"\\uD83D\\uDE00\\ud83d\\ude00"')).toBe("😀😀");
  });

  it("replace lone surrogates", () => {
    expect(stringOf('"a\\ud83d"')).toBe("a�");
    expect(stringOf('"\\ude00b"')).toBe("�b");
    expect(stringOf('"\\ud83d\\u0041"')).toBe("�A");
    expect(stringOf('"\\ud83d\\ud83d\\ude00"')).toBe("�😀");
  });

  it("refuse broken escapes", () => {
    expect(stringOf('"\\u12"')).toBe("error: a string has no closing quote or a broken escape");
    expect(stringOf('"\\u12g4"')).toBe("error: a string has no closing quote or a broken escape");
    expect(stringOf('"\\')).toBe("error: a string has no closing quote or a broken escape");
    expect(stringOf('"abc')).toBe("error: a string has no closing quote");
    expect(stringOf("1")).toBe("error: expected a string");
  });

  it("give null as absent", () => {
    openText("null");
    expect(reader.readString()).toBe(false);
    expect(reader.atEnd()).toBe(true);
  });

  it("end at the right quote, wherever in a block it and an escape lie", () => {
    for (let before = 0; before <= 40; ++before) {
      const plain = repeat("a", before);
      expect(stringOf('"' + plain + '"')).toBe(plain);
      expect(stringOf('"' + plain + '\\""')).toBe(plain + '"');
      expect(stringOf('"' + plain + '\\\\"')).toBe(plain + "\\");
      expect(stringOf('"' + plain + '\\\\\\"b"')).toBe(plain + '\\"b');
      expect(stringOf('"' + plain + "é" + repeat("b", 40 - before) + '"')).toBe(plain + "é" + repeat("b", 40 - before));
    }
  });

  it("keep long strings with many escapes whole", () => {
    expect(stringOf('"' + repeat("\\n\\ud83d\\ude00x", 3000) + '"')).toBe(repeat("\n😀x", 3000));
  });

  it("say whether their bytes lie outside the document", () => {
    openText('["a","\\n","b"]');
    reader.enterArray();
    reader.nextElement();
    reader.readString();
    expect(reader.stringHasEscapes()).toBe(false);
    reader.nextElement();
    reader.readString();
    expect(reader.stringHasEscapes()).toBe(true);
    reader.nextElement();
    reader.readString();
    expect(reader.stringHasEscapes()).toBe(false);
    expect(reader.stringIs("b")).toBe(true);
    expect(reader.stringIs("c")).toBe(false);
    expect(reader.stringIs("bb")).toBe(false);
  });
});

describe("skipValue", () => {
  it("ends behind a container at every offset of a block", () => {
    const values: string[] = [
      '{"a":"}"}',
      '["\\"]"]',
      '{"\\\\":[]}',
      '{"k":"{[","v":[{}]}',
      "[[[]],[]]",
      '"]"',
      "{}",
      '["\\\\"]',
      '["\\\\\\"]"]',
    ];
    for (let v = 0; v < values.length; ++v) {
      for (let before = 0; before <= 40; ++before) {
        // Once with letters in a string before it, once with spaces, so that quotes and brackets meet every block
        // border.
        const inString = '["' + repeat("x", before) + '",' + values[v] + "]";
        const spaced = "[" + repeat(" ", before) + values[v] + repeat(" ", 40 - before) + "]";
        openText(inString + ",]}");
        reader.skipValue();
        expect(reader.offset()).toBe(inString.length);
        openText(spaced + "]]]");
        reader.skipValue();
        expect(reader.offset()).toBe(spaced.length);
      }
    }
  });

  it("ends behind random documents, and a walk agrees with it", () => {
    const random = new Random(2463534242);
    let wrong = 0;
    for (let i = 0; i < 10000; ++i) {
      const text = "[" + randomValue(random, 4) + "]";
      openText(text + '}]"');
      reader.skipValue();
      const size = u32(String.UTF8.byteLength(text));
      if (!reader.ok() || reader.offset() != size) ++wrong;
      const once = walked(text);
      if (once.startsWith("error") || walked(once) != once) ++wrong;
    }
    expect(wrong).toBe(0);
  });

  it("skips scalars up to what ends them", () => {
    openText("[-1.5e+10 ,true,null,1]");
    reader.enterArray();
    let elements = 0;
    for (; reader.nextElement(); ++elements) reader.skipValue();
    expect(elements).toBe(4);
    expect(reader.atEnd()).toBe(true);
  });

  it("refuses punctuation where a value should be", () => {
    const texts: string[] = ["", ",", ":", "]", "}", "1:2", '1"a"', "tr{"];
    for (let i = 0; i < texts.length; ++i) {
      openText(texts[i]);
      reader.skipValue();
      expect(reader.ok()).toBe(false, texts[i]);
    }
  });
});

describe("a document that was cut", () => {
  const whole =
    '{"metadata":{"name":"a\\"b\\u00e9c","list":[1,-20,true,false,null,{"x":"0123456789abcdef0123456789}"}]},"tail":["\\ud83d\\ude00",[[]],{}]}';

  it("is an error for a walk and for a skip, with the rest of it behind the end", () => {
    const size = u32(whole.length);
    const buffer = bufferOf(whole, 0, size, 0x20);
    for (let cut: u32 = 0; cut < size; ++cut) {
      reader.open(buffer, cut);
      out.reset();
      walk();
      expect(reader.atEnd()).toBe(false);
      expect(reader.errorOffset() <= cut).toBe(true);
      reader.open(buffer, cut);
      reader.skipValue();
      expect(reader.ok()).toBe(false);
    }
    reader.open(buffer, size);
    reader.skipValue();
    expect(reader.atEnd()).toBe(true);
  });

  it("ends every loop of its caller", () => {
    openText('{"a":[1,');
    reader.enterObject();
    reader.nextKey();
    reader.enterArray();
    reader.nextElement();
    reader.readInteger();
    expect(reader.nextElement()).toBe(false);
    expect(reader.nextKey()).toBe(false);
    expect(reader.enterObject()).toBe(false);
    expect(reader.readString()).toBe(false);
    expect(reader.readBoolean()).toBe(false);
    expect(reader.peek()).toBe(0);
    expect(reader.errorText()).toBe("the input ends inside an object or array");
  });
});

describe("seek", () => {
  it("reads a value again", () => {
    openText('{"a":[1,2],"b":3}');
    reader.enterObject();
    reader.nextKey();
    const at = reader.position();
    reader.skipValue();
    const after = reader.position();
    reader.seek(at);
    reader.enterArray();
    let sum: i64 = 0;
    while (reader.nextElement()) sum += reader.readInteger();
    expect(sum).toBe(3);
    expect(reader.position()).toBe(after);
    expect(reader.nextKey()).toBe(true);
  });
});
