/** When runs end: a bar for each bin, with those of the pinned runs as an outline. */
import { type Bin, binsOf } from "../../odds/odds.ts";
import type { SeedRun } from "../../odds/seed-run.ts";
import { lengthText } from "../time-text.ts";

const BINS = 36;
const WIDTH = 360;
const HEIGHT = 110;
const BIN_WIDTH = WIDTH / BINS;

interface HistogramProps {
  readonly runs: readonly SeedRun[];
  /** Empty: nothing is pinned. */
  readonly before: readonly SeedRun[];
  /** NaN: none. */
  readonly deadlineMs: number;
  /** What it shows, for those who cannot see it. */
  readonly label: string;
}

export function Histogram({ runs, before, deadlineMs, label }: HistogramProps) {
  const ends = [...runs, ...before].map(({ endMs }) => endMs);
  const [fromMs, toMs] = [Math.min(...ends), Math.max(...ends)];
  const bins = binsOf(runs, fromMs, toMs, BINS);
  const outline = before.length === 0 ? [] : binsOf(before, fromMs, toMs, BINS);
  // Shares, for A may have another number of runs.
  const shares = bins.map((bin) => share(bin, runs.length));
  const sharesBefore = outline.map((bin) => share(bin, before.length));
  const scale = (HEIGHT - 4) / Math.max(...shares, ...sharesBefore, 1e-9);
  const x = (ms: number): number => (toMs === fromMs ? WIDTH / 2 : (WIDTH * (ms - fromMs)) / (toMs - fromMs));
  const isDeadlineShown = deadlineMs >= fromMs && deadlineMs <= toMs;
  return (
    <figure class="histogram">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 18}`} role="img" aria-label={label}>
        {bins.map((bin, i) => (
          <Bar key={i} bin={bin} left={i * BIN_WIDTH} unit={scale / runs.length} />
        ))}
        {outline.length > 0 && <path class="of-before" d={outlineOf(sharesBefore, scale)} />}
        <path class="axis" d={`M0 ${HEIGHT + 0.5}H${WIDTH}`} />
        {isDeadlineShown && <path class="deadline" d={`M${x(deadlineMs)} 0V${HEIGHT}`} />}
        <text x="0" y={HEIGHT + 14}>
          {lengthText(fromMs)}
        </text>
        <text x={WIDTH} y={HEIGHT + 14} text-anchor="end">
          {lengthText(toMs)}
        </text>
      </svg>
      <figcaption class="soft small">
        When runs end: <span class="of-complete">complete</span>, <span class="of-failed">failed</span>
        {runs.some(({ end }) => end === "open") && (
          <>
            , <span class="of-open">never</span>
          </>
        )}
        {before.length > 0 && "; the line is A"}
      </figcaption>
    </figure>
  );
}

/** Failures lie at the foot, where they are seen even if they are few. */
function Bar({ bin, left, unit }: { readonly bin: Bin; readonly left: number; readonly unit: number }) {
  const parts = [
    ["of-failed", bin.failed],
    ["of-open", bin.open],
    ["of-complete", bin.complete],
  ] as const;
  let foot = HEIGHT;
  return (
    <>
      {parts.map(([name, count]) => {
        if (count === 0) return null;
        const height = Math.max(1.5, count * unit);
        foot -= height;
        return <rect key={name} class={name} x={left + 0.5} y={foot} width={BIN_WIDTH - 1} height={height} />;
      })}
    </>
  );
}

function outlineOf(shares: readonly number[], scale: number): string {
  return shares
    .map((part, i) => {
      const y = HEIGHT - part * scale;
      return `${i === 0 ? `M0 ${y}` : `V${y}`}H${(i + 1) * BIN_WIDTH}`;
    })
    .join("");
}

function share({ complete, failed, open }: Bin, runs: number): number {
  return (complete + failed + open) / runs;
}
