/**
 * What a hand does in the picture, event by event, on a canvas that is only an event target and a picture that writes
 * down its calls. Leaves out what a real picture finds under a point (test/host-browser/picture).
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { attachPointer } from "../../../host-browser/app/view/pointer.ts";
import type { Hit, Picture } from "../../../host-browser/picture/picture.ts";

/** The canvas begins here in the window. */
const LEFT = 100;
const TOP = 50;
const AXIS = 10;
const BODY = 60;
const MINIMAP = 95;

let calls: string[];
let canvas: EventTarget;
let detach: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  calls = [];
  canvas = Object.assign(new EventTarget(), {
    getBoundingClientRect: () => ({ left: LEFT, top: TOP }),
    setPointerCapture: () => calls.push("capture"),
  });
  const picture = {
    minimapTimeAt: (x: number, y: number) => (y >= MINIMAP ? x * 100 : undefined),
    timeAt: (x: number) => x,
    hit: (x: number, y: number) => ({ kind: y < 20 ? "axis" : "pod", text: `${x},${y}` }) as Hit,
    setPointer: () => undefined,
    pan: (dx: number) => calls.push(`pan ${dx}`),
    zoom: (factor: number, x: number) => calls.push(`zoom ${factor > 1 ? "in" : "out"} at ${x}`),
  } as unknown as Picture;
  detach = attachPointer(canvas as HTMLCanvasElement, picture, {
    changed: () => undefined,
    hover: (hit) => calls.push(`hover ${hit?.text}`),
    seek: (atMs) => calls.push(`seek ${atMs}`),
    pick: (hit, { x, y }) => calls.push(`pick ${hit.text} at ${x},${y}`),
    menu: (hit, { x, y }) => calls.push(`menu ${hit?.text} at ${x},${y}`),
  });
});

afterEach(() => void vi.useRealTimers());

/** @returns whether the browser's own way was prevented */
function fire(type: string, x = 0, y = 0, more: Partial<PointerEvent & WheelEvent> = {}): boolean {
  const event = new Event(type, { cancelable: true });
  const mouse = { button: 0, pointerId: 1, pointerType: "mouse", deltaX: 0, deltaY: 0, ctrlKey: false };
  canvas.dispatchEvent(Object.assign(event, mouse, { clientX: LEFT + x, clientY: TOP + y, shiftKey: false }, more));
  return event.defaultPrevented;
}

test("a click picks what is under it, also if the hand shook a little", () => {
  fire("pointerdown", 30, BODY);
  fire("pointermove", 33, BODY);
  fire("pointerup", 33, BODY);
  expect(calls).toEqual(["pick 33,60 at 133,110"]);
});

test("another button than the first does not press", () => {
  fire("pointerdown", 30, BODY, { button: 2 });
  fire("pointerup", 30, BODY);
  expect(calls).toEqual([]);
});

test("a drag in the body moves the view by what the hand moved, and picks nothing", () => {
  fire("pointerdown", 30, BODY);
  for (const x of [40, 55]) fire("pointermove", x, BODY);
  fire("pointerup", 55, BODY);
  expect(calls).toEqual(["capture", "pan 10", "capture", "pan 15"]);
});

test.each([
  { where: "the axis", y: AXIS, times: ["seek 30", "seek 40"] },
  { where: "the minimap", y: MINIMAP, times: ["seek 3000", "seek 4000"] },
])("a press on $where seeks at once, and so does each move", ({ y, times }) => {
  fire("pointerdown", 30, y);
  fire("pointermove", 40, y);
  fire("pointerup", 40, y);
  expect(calls).toEqual(["capture", ...times]);
});

test("a pointer that moves without a press reports what is under it, and nothing once it leaves", () => {
  fire("pointermove", 30, BODY);
  fire("pointerleave");
  expect(calls).toEqual(["hover 30,60", "hover undefined"]);
});

test("a finger that stays opens the menu where it pressed, and picks nothing when it is lifted", () => {
  fire("pointerdown", 30, BODY, { pointerType: "touch" });
  vi.runAllTimers();
  fire("pointerup", 30, BODY);
  expect(calls).toEqual(["menu 30,60 at 130,110"]);
});

test.each([
  { what: "a mouse that stays", after: () => undefined, pointerType: "mouse" },
  { what: "a finger that moves", after: () => fire("pointermove", 50, BODY), pointerType: "touch" },
  { what: "a finger that the browser takes for scrolling", after: () => fire("pointercancel"), pointerType: "touch" },
  { what: "a finger on a canvas that is detached", after: () => detach(), pointerType: "touch" },
])("$what opens no menu", ({ after, pointerType }) => {
  fire("pointerdown", 30, BODY, { pointerType });
  after();
  expect(vi.getTimerCount()).toBe(0);
});

test("a right click opens the menu in place of the browser's, and ends a press", () => {
  fire("pointerdown", 30, BODY);
  expect(fire("contextmenu", 30, BODY)).toBe(true);
  fire("pointerup", 30, BODY);
  expect(calls).toEqual(["menu 30,60 at 130,110"]);
});

test("the wheel scrolls the page, zooms with Ctrl, and moves the view sideways", () => {
  expect(fire("wheel", 30, BODY, { deltaY: 10 })).toBe(false);
  expect(fire("wheel", 30, BODY, { deltaY: -10, ctrlKey: true })).toBe(true);
  expect(fire("wheel", 30, BODY, { deltaY: 10, ctrlKey: true })).toBe(true);
  expect(fire("wheel", 30, BODY, { deltaX: 20, deltaY: 5 })).toBe(true);
  expect(fire("wheel", 30, BODY, { deltaY: 5, shiftKey: true })).toBe(true);
  expect(calls).toEqual(["zoom in at 30", "zoom out at 30", "pan -20", "pan -5"]);
});

test("a detached canvas hears nothing", () => {
  detach();
  fire("pointerdown", 30, AXIS);
  fire("contextmenu", 30, BODY);
  expect(calls).toEqual([]);
});
