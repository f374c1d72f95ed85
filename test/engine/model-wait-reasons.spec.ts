/** Reasons of pods that wait, as numbers: the same for the same, and a bounded number of them. */
import "./engine-first";
import { blobAt, blobSize } from "../../assembly/memory/blob";
import {
  isWaitTrouble,
  MAX_WAIT_REASONS,
  WAIT_NONE,
  WAIT_READY,
  waitCodeOf,
  waitReason,
} from "../../assembly/model/wait-reasons";
import { blobOfText, textAt } from "./support";

function codeOf(reason: string): u8 {
  const blob = blobOfText(reason);
  return waitCodeOf(blobAt(blob), blobSize(blob));
}

function nameOf(code: u8): string {
  return textAt(blobAt(waitReason(code)), blobSize(waitReason(code)));
}

describe("reasons to wait", () => {
  it("have one number each, and their name back", () => {
    const code = codeOf("ImagePullBackOff");
    expect(codeOf("ErrImagePull")).not.toBe(code);
    expect(codeOf("ImagePullBackOff")).toBe(code);
    expect(nameOf(code)).toBe("ImagePullBackOff");
    expect(nameOf(WAIT_NONE)).toBe("Pending");
    expect(nameOf(WAIT_READY)).toBe("Ready");
  });

  it("are trouble, but for those of a pod that starts", () => {
    expect(isWaitTrouble(codeOf("Unschedulable"))).toBe(true);
    expect(isWaitTrouble(codeOf("ContainerCreating"))).toBe(false);
    expect(isWaitTrouble(codeOf("PodInitializing"))).toBe(false);
  });

  it("of a kubelet that calls its reason Ready are no Ready pods", () => {
    expect(codeOf("Ready")).not.toBe(WAIT_READY);
    expect(isWaitTrouble(codeOf("Ready"))).toBe(true);
  });

  it("are Other when they are empty, too long, or one too many", () => {
    expect(nameOf(codeOf(""))).toBe("Other");
    expect(nameOf(codeOf("x".repeat(64)))).toBe("x".repeat(64));
    expect(nameOf(codeOf("x".repeat(65)))).toBe("Other");
    for (let i = 0; i < MAX_WAIT_REASONS; ++i) codeOf("reason " + i.toString());
    expect(nameOf(codeOf("reason 0"))).toBe("reason 0");
    expect(nameOf(codeOf("reason 63"))).toBe("Other");
  });
});
