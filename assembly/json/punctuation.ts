/** The characters that JSON and sentences are made of, as named bytes. */

export const SPACE: u8 = 0x20;
export const QUOTE: u8 = 0x22;
export const PERCENT: u8 = 0x25;
export const CLOSE_PARENTHESIS: u8 = 0x29;
export const COMMA: u8 = 0x2c;
export const DOT: u8 = 0x2e;
export const SLASH: u8 = 0x2f;
export const COLON: u8 = 0x3a;
export const OPEN_BRACKET: u8 = 0x5b;
export const CLOSE_BRACKET: u8 = 0x5d;
export const OPEN_BRACE: u8 = 0x7b;
export const CLOSE_BRACE: u8 = 0x7d;
