/** Play, pause, steps, speed and a slider for the playhead. On a phone it is pinned to the bottom. */
import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import { SPEEDS } from "../playhead.ts";
import { instantText } from "../time-text.ts";
import { usePlayground } from "./context.ts";
import { Icon } from "./icons.tsx";
import { useNow } from "./use-now.ts";

export function Transport() {
  const playground = usePlayground();
  const { playhead } = playground;
  return (
    <div class="transport" role="toolbar" aria-label="Time">
      <div class="buttons">
        <Step icon="start" label="To the start (Home)" onClick={() => playhead.toStart()} />
        <Step icon="previous" label="To the decision before (p)" onClick={() => playhead.toPreviousDecision()} />
        <Play />
        <Step icon="next" label="To the next decision (n)" onClick={() => playhead.toNextDecision()} />
        <Step icon="event" label="To the next event (e)" onClick={() => playhead.toNextEvent()} />
        <Step icon="end" label="To the newest instant (End)" onClick={() => playhead.toEnd()} />
      </div>
      <Scrubber />
      <Speed />
      <button
        type="button"
        class="break"
        id="break-it"
        aria-haspopup="menu"
        aria-label="Break it"
        title="What can be done to what is selected (b)"
        onClick={() => playground.openMenu()}
      >
        <Icon name="bolt" /> <span>Break it</span>
      </button>
    </div>
  );
}

/** While a run is made, it stops that. */
function Play() {
  const { playhead, session } = usePlayground();
  if (session.mode.value === "loading") {
    return (
      <button type="button" class="play" aria-label="Stop" title="Stop simulating" onClick={() => playhead.pause()}>
        <Icon name="pause" />
      </button>
    );
  }
  const isPlaying = playhead.isPlaying.value;
  return (
    <button
      type="button"
      class="play"
      aria-label={isPlaying ? "Pause" : "Play"}
      title={isPlaying ? "Pause (space)" : "Play (space)"}
      onClick={() => playhead.toggle()}
    >
      <Icon name={isPlaying ? "pause" : "play"} />
    </button>
  );
}

interface StepProps {
  readonly icon: "start" | "previous" | "next" | "event" | "end";
  readonly label: string;
  readonly onClick: () => void;
}

function Step({ icon, label, onClick }: StepProps) {
  return (
    <button type="button" class="quiet step" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

/** Changes in every frame while time runs: signals set its texts and attributes, without rendering. */
function Scrubber() {
  const { playhead, session } = usePlayground();
  const at = useComputed(() => instantText(playhead.atMs.value));
  const isMoving = useComputed(() => session.mode.value === "loading" || session.mode.value === "playing");
  const rest = useComputed(() => {
    if (session.mode.value === "loading") {
      void session.revision.value;
      return ` · ${session.isLoading ? "starting" : `${session.branch.value?.timeline.podNames.length ?? 0} pods so far`}`;
    }
    if (playhead.isLive.value && isMoving.value) return " · live";
    const isOpen = session.mode.value !== "finished" && !isMoving.value;
    return ` of ${instantText(session.nowMs.value)}${isOpen ? " so far" : ""}`;
  });
  const slider = useRef<HTMLInputElement>(null);
  useNow(() => {
    const [max, value] = [Math.max(1, Math.round(session.nowMs.value)), Math.round(playhead.atMs.value)];
    // Set the end before the value: a slider silently clamps its value to its end.
    slider.current!.max = String(max);
    slider.current!.value = String(value);
  });
  const text = useComputed(() => `${at.value} of ${instantText(session.nowMs.value)}`);
  return (
    <div class="scrubber">
      <input
        ref={slider}
        type="range"
        aria-label="Instant"
        aria-valuetext={text}
        min={0}
        step={1}
        onInput={(event) => playhead.seek(Number(event.currentTarget.value))}
      />
      <output class="clock" aria-live="off">
        <b>{at}</b>
        <span>{rest}</span>
      </output>
    </div>
  );
}

function Speed() {
  const { playhead } = usePlayground();
  return (
    <label class="speed">
      <span>Speed</span>
      <select
        aria-label="Speed"
        value={String(playhead.speed.value)}
        onChange={(event) => playhead.setSpeed(Number(event.currentTarget.value))}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed === Infinity ? "max" : `${speed}×`}
          </option>
        ))}
      </select>
    </label>
  );
}
