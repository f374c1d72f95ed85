/**
 * Reads a schedulingPolicy, which a Job, a PodGroupTemplate and a PodGroup have alike: whether it is a gang, and of how
 * many pods. There is one record of facts; the next policy that is read replaces them. Source: docs/spec/controller.md
 * section 11.
 */
import * as reader from "../json/reader";
import { ABSENT } from "../model/absent";

/** The facts of the policy that was read last. */
@unmanaged
export class PolicyFacts {
  /** The number as written in the document; size 0: it is absent. */
  minCountAt: usize;
  minCountSize: u32;
  /** ABSENT: the policy is no gang, or it is one that says no number. */
  minCount: i32;
  isGang: bool;
}

const policyFacts = changetype<PolicyFacts>(memory.data(offsetof<PolicyFacts>(), 8));

/** Reads the policy that the reader is at. */
export function readPolicy(): PolicyFacts {
  const facts = policyFacts;
  facts.minCountSize = 0;
  facts.minCount = ABSENT;
  facts.isGang = false;
  if (!reader.enterObject()) return facts;
  while (reader.nextKey()) {
    if (reader.stringIs("gang")) readGang(facts);
    else reader.skipValue();
  }
  return facts;
}

function readGang(facts: PolicyFacts): void {
  if (!reader.enterObject()) return;
  facts.isGang = true;
  while (reader.nextKey()) {
    if (!reader.stringIs("minCount")) {
      reader.skipValue();
      continue;
    }
    reader.peek();
    const from = reader.position();
    const count = reader.readInteger(ABSENT);
    // The API has numbers from 1 to this.
    if (count < 1 || count > i64(i32.MAX_VALUE)) continue;
    facts.minCount = i32(count);
    facts.minCountAt = from;
    facts.minCountSize = u32(reader.position() - from);
  }
}
