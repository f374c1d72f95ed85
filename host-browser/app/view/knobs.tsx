/** Sliders for the numbers of the Job and of its pods: while one moves, the picture follows. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type Knob, knobsOf } from "../knobs.ts";
import { Tuning } from "../tuning.ts";
import { usePlayground } from "./context.ts";

interface KnobsProps {
  /** Called before the first turn of each number. */
  readonly onBegin: () => void;
}

export function Knobs({ onBegin }: KnobsProps) {
  const playground = usePlayground();
  const tuning = useMemo(() => new Tuning(playground), [playground]);
  useEffect(() => () => tuning.end(), [tuning]);
  const scenario = tuning.turned.value ?? playground.session.branch.value?.scenario;
  if (scenario === undefined) return null;
  const knobs = knobsOf(scenario);
  if (knobs.length === 0)
    return <p class="soft small">There is nothing to turn: no Job is written with one field a line.</p>;
  return (
    <ul class="knobs">
      {knobs.map((knob) => (
        <Slider
          key={knob.name}
          knob={knob}
          onTurn={(value) => {
            onBegin();
            tuning.turn(knob.turn(value));
          }}
          onRest={() => tuning.rest()}
        />
      ))}
    </ul>
  );
}

interface SliderProps {
  readonly knob: Knob;
  readonly onTurn: (value: number) => void;
  readonly onRest: () => void;
}

function Slider({ knob: { name, unit, value, min, reach }, onTurn, onRest }: SliderProps) {
  // While it is turned, its scale stands still.
  const max = useSignal(Math.max(reach, 2 * value));
  if (value > max.value) max.value = 2 * value;
  return (
    <li>
      <label>
        <code>{name}</code>
        <input
          type="range"
          name={name}
          min={min}
          max={max.value}
          step={1}
          value={value}
          aria-valuetext={unit === "" ? undefined : `${value} ${unit}`}
          onInput={({ currentTarget }) => onTurn(currentTarget.valueAsNumber)}
          onChange={onRest}
        />
      </label>
      <span class="value" aria-hidden="true">
        {value}
        {unit !== "" && ` ${unit}`}
      </span>
    </li>
  );
}
