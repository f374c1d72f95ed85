/** Simulated time in words: as the picture writes it, so that one screen has one notation. */
export { instantText, spanText as lengthText } from "../picture/words.ts";
