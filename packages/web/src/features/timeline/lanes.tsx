import { type PointerEvent, useRef, useState } from 'react';
import { formatTimestamp } from '../../ui/format/index.ts';
import { useOneStop } from '../../ui/one-stop.ts';
import { useTimeZone } from '../../ui/time/use-time-zone.ts';
import { HappeningLink } from './happening-link.tsx';
import { type Cluster, clustersOf, type Happening, type LANES, ticksOf } from './happenings.ts';
import classes from './timeline.module.css';

/** Marks closer than this share of the window would cover each other. */
const APART = 0.014;
const TICKS = 8;
/** Dragging over less than this share of the window is a click. */
const LEAST = 0.005;

/** What happened over time, a lane for each kind. Dragging over the lanes selects a window. */
export function Lanes({
  happenings,
  lanes,
  window,
  onZoom,
}: {
  happenings: readonly Happening[];
  lanes: typeof LANES;
  window: { readonly from: number; readonly to: number } | null;
  onZoom: (from: number, to: number) => void;
}) {
  useTimeZone();
  const length = window === null ? 0 : window.to - window.from;
  const marks = useOneStop<HTMLDivElement>();
  const { drag, track } = useSelection((start, end) => {
    if (window !== null) onZoom(window.from + start * length, window.from + end * length);
  });
  if (window === null) return null;
  const ticks = ticksOf(window, TICKS);
  return (
    <div ref={marks} className={classes.lanes}>
      <div className={classes.names}>
        {lanes.map(({ kind, label }) => (
          <div key={kind} className={classes.name}>
            {label}
          </div>
        ))}
      </div>
      <div {...track} className={classes.track}>
        {ticks.map(({ at, time }) => (
          <div key={time} className={classes.tick} style={{ left: `${at * 100}%` }}>
            <span>{tickText(time, length)}</span>
          </div>
        ))}
        {drag !== null && (
          <div
            className={classes.selection}
            style={{
              left: `${Math.min(drag.start, drag.end) * 100}%`,
              width: `${Math.abs(drag.end - drag.start) * 100}%`,
            }}
          />
        )}
        {lanes.map(({ kind, label }) => (
          <ul key={kind} className={classes.lane} aria-label={label} data-kind={kind}>
            {clustersOf(
              happenings.filter((one) => one.kind === kind),
              window,
              APART,
            ).map((cluster) => (
              <Mark key={cluster.happenings[0]?.id} cluster={cluster} />
            ))}
          </ul>
        ))}
      </div>
    </div>
  );
}

/** A selection by dragging, from 0 at the left to 1 at the right, and the props of the element that is dragged over. */
function useSelection(onSelect: (start: number, end: number) => void) {
  const ref = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ readonly start: number; readonly end: number } | null>(null);
  const placeOf = (x: number) => {
    const box = ref.current?.getBoundingClientRect();
    return box === undefined ? 0 : Math.min(1, Math.max(0, (x - box.left) / box.width));
  };
  const end = () => {
    if (drag !== null && Math.abs(drag.end - drag.start) > LEAST)
      onSelect(Math.min(drag.start, drag.end), Math.max(drag.start, drag.end));
    setDrag(null);
  };
  const track = {
    ref,
    onPointerDown: (event: PointerEvent<HTMLDivElement>) => {
      if (event.button !== 0 || (event.target instanceof Element && event.target.closest('a') !== null)) return;
      const at = placeOf(event.clientX);
      setDrag({ start: at, end: at });
    },
    onPointerMove: (event: PointerEvent<HTMLDivElement>) => {
      const at = placeOf(event.clientX);
      setDrag((old) => old && { ...old, end: at });
    },
    onPointerUp: end,
    onPointerLeave: end,
  };
  return { drag, track };
}

/** One happening, or the number of those at one place; a click opens the latest of them. */
function Mark({ cluster: { at, happenings } }: { cluster: Cluster }) {
  const latest = happenings.at(-1);
  if (latest === undefined) return null;
  const shown = happenings.slice(-8);
  const title = [
    ...(happenings.length > shown.length ? [`${happenings.length - shown.length} earlier ones, and`] : []),
    ...shown.map(({ time, text }) => `${formatTimestamp(time)} ${text}`),
  ].join('\n');
  return (
    <li style={{ left: `${at * 100}%` }} title={title} data-state={latest.alert?.state}>
      <HappeningLink happening={latest} className={classes.mark ?? ''}>
        <span aria-hidden>{happenings.length > 1 ? happenings.length : ''}</span>
        <span className="visually-hidden">{title}</span>
      </HappeningLink>
    </li>
  );
}

function tickText(time: number, length: number): string {
  const text = formatTimestamp(time);
  return length > 2 * 86_400_000 ? text.slice(5, 10) : text.slice(11, 16);
}
