/**
 * Takes the visits of constant text out of the collection of garbage. The compiler has the collection visit whatever a
 * global refers to, strings in static data too. But these are never freed, and refer to nothing: the hundred visits are
 * useless code.
 *
 * Leaves other static data alone: an array may refer to managed objects.
 */
import type Binaryen from "binaryen";
import { STRING_ID } from "./pack-text.ts";

const COLLECTION = "assembly/memory/garbage/collectGarbage";
const VISIT = "~lib/rt/tcms/__visit";
/** The offset of an object's type, which is before the object. */
const TYPE_AT = -8;

/**
 * Works in place. The module is optimized, so that the collection itself contains all visits, and has the compiler's
 * names. A module without a collection stays as it is.
 */
export function leaveTextUnvisited(binaryen: typeof Binaryen, module: Binaryen.Module): void {
  const collection = module.getFunction(COLLECTION);
  if (collection === 0) return;
  const { getExpressionInfo, getFunctionInfo } = binaryen;
  const segments = segmentsOf(module);
  const isString = (address: number) =>
    segments.some(({ from, data }) => {
      const at = address - from + TYPE_AT;
      return at >= 0 && at + 4 <= data.byteLength && data.getUint32(at, true) === STRING_ID;
    });
  const visitsText = (statement: number) => {
    const call = getExpressionInfo(statement) as Binaryen.CallInfo;
    if (call.id !== binaryen.CallId || call.target !== VISIT) return false;
    const object = getExpressionInfo(call.operands[0]!) as Binaryen.ConstInfo;
    return object.id === binaryen.ConstId && isString(object.value as number);
  };

  const { params, results, vars, body } = getFunctionInfo(collection);
  const { id, name, children } = getExpressionInfo(body) as Binaryen.BlockInfo;
  if (id !== binaryen.BlockId) throw new Error(`${COLLECTION} is not a list of statements: its visits cannot be found`);
  const statements = children.filter((statement) => !visitsText(statement));
  if (statements.length === children.length)
    throw new Error(`${COLLECTION} visits no constant text: a visit looks otherwise now`);
  module.removeFunction(COLLECTION);
  module.addFunction(COLLECTION, params, results, vars, module.block(name || null, statements));
}

function segmentsOf(module: Binaryen.Module): { from: number; data: DataView }[] {
  return Array.from({ length: module.getNumMemorySegments() }, (_, i) => {
    const { offset, data } = module.getMemorySegmentInfoByIndex(i);
    const bytes = new Uint8Array(data);
    return { from: Number(offset), data: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
  });
}
