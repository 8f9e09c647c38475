import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { formatTimestamp } from '../format/index.ts';
import { Popover, Tooltip } from '../mantine.ts';
import { useOneStop } from '../one-stop.ts';
import { Timestamp } from '../timestamp.tsx';
import classes from './chart.module.css';

export type MarkTone = 'neutral' | 'accent' | 'ok' | 'error';

/** A marked time on a chart, such as a deploy. */
export interface Mark {
  /** Epoch milliseconds. */
  time: number;
  /** Of a mark that lasts, in epoch milliseconds. */
  end?: number | undefined;
  label: string;
  tone?: MarkTone;
  /** What a click on the mark shows, with a link to what happened; by default its label and time. */
  details?: ReactNode;
}

/** What is known to have happened in a window, which is given in epoch milliseconds. */
export interface MarkSet {
  readonly window: { readonly from: number; readonly to: number } | undefined;
  readonly marks: readonly Mark[];
}

const NONE: readonly Mark[] = [];
const NOTHING: MarkSet = { window: undefined, marks: NONE };

/**
 * A hook that reads what happened; all charts below it mark that. It asks nothing while no chart is shown. Its result must
 * be the same object until something changes: charts are drawn again with it.
 */
export const MarksSource = createContext<() => MarkSet>(() => NOTHING);

/** A chart may begin before the known window by this share of it: the two are read at different moments. */
const SLACK = 0.05;

/** The marks within a chart's window; none if only a part of this window is known. */
export function marksWithin({ window: known, marks }: MarkSet, shown: MarkSet['window']): readonly Mark[] {
  if (known === undefined || shown === undefined) return NONE;
  const slack = (known.to - known.from) * SLACK;
  if (shown.from < known.from - slack || shown.to > known.to + slack) return NONE;
  const found = marks.filter(({ time, end = time }) => end >= shown.from && time <= shown.to);
  return found.length === 0 ? NONE : found;
}

/** The marks of a chart: its own, else those of the pages around it. */
export function useMarks(own: readonly Mark[] | undefined, window: MarkSet['window']): readonly Mark[] {
  const useSource = useContext(MarksSource);
  const source = useSource();
  return useMemo(() => own ?? marksWithin(source, window), [own, source, window]);
}

/** Marks that are drawn at one place. */
export interface MarkPlace {
  /** In pixels from the left of the chart. */
  readonly x: number;
  readonly marks: readonly Mark[];
}

/** Closer marks, in pixels, share a button: as wide as a pin above the plot, or as a finger. */
const APART = { pin: 14, finger: 28 } as const;

/** Groups marks by where they are drawn, from left to right. @param xOf pixels of a time */
export function placesOf(
  marks: readonly Mark[],
  xOf: (time: number) => number,
  right: number,
  size: keyof typeof APART,
): MarkPlace[] {
  const places: { x: number; marks: Mark[] }[] = [];
  for (const mark of marks.toSorted((a, b) => a.time - b.time)) {
    const x = xOf(mark.time);
    if (x < 0 || x > right) continue;
    const last = places.at(-1);
    if (last !== undefined && x - last.x < APART[size]) last.marks.push(mark);
    else places.push({ x, marks: [mark] });
  }
  return places;
}

const TONES: readonly MarkTone[] = ['error', 'accent', 'ok', 'neutral'];

/** A button at each place, above the plot or in a row below it: it names what happened there, and a click shows it. */
export function MarkButtons({
  places,
  left,
  below,
}: {
  places: readonly MarkPlace[];
  left: number;
  /** In a row below the plot, large enough for fingers. */
  below: boolean;
}) {
  const list = useOneStop<HTMLUListElement>();
  return (
    <ul ref={list} className={below ? classes.markRow : classes.dots} aria-label="Annotations">
      {places.map(({ x, marks }) => (
        <li key={`${marks[0]?.time} ${marks[0]?.label}`}>
          <MarkButton x={left + x} marks={marks} below={below} />
        </li>
      ))}
    </ul>
  );
}

/** Labels that hovering lists; a click shows all. */
const LISTED = 6;

function MarkButton({ x, marks, below }: { x: number; marks: readonly Mark[]; below: boolean }) {
  const [opened, setOpened] = useState(false);
  const [first] = marks;
  const tone = TONES.find((one) => marks.some((mark) => (mark.tone ?? 'neutral') === one));
  const label =
    marks.length === 1 ? (first?.label ?? '') : `${marks.length} events from ${formatTimestamp(first?.time)}`;
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" withinPortal trapFocus>
      <Popover.Target>
        {/* Above a pin is the header of the panel, with its number. */}
        <Tooltip
          label={<Labels marks={marks} />}
          disabled={opened}
          multiline
          maw={360}
          position={below ? 'top' : 'bottom'}
        >
          <button
            type="button"
            className={below ? classes.markBelow : classes.mark}
            style={{ left: x }}
            data-tone={tone}
            aria-label={label}
            onClick={() => setOpened((old) => !old)}
          >
            {below && marks.length > 1 && <span aria-hidden>{marks.length}</span>}
          </button>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown className={classes.details} aria-label={label}>
        {marks.map(({ time, label, details }) => (
          <div key={`${time} ${label}`}>
            {details ?? (
              <>
                <strong>{label}</strong>
                <div className="dim">
                  <Timestamp value={time} />
                </div>
              </>
            )}
          </div>
        ))}
      </Popover.Dropdown>
    </Popover>
  );
}

function Labels({ marks }: { marks: readonly Mark[] }) {
  return (
    <>
      {marks.slice(0, LISTED).map(({ time, label }) => (
        <div key={`${time} ${label}`}>
          {formatTimestamp(time, { date: false })} {label}
        </div>
      ))}
      {marks.length > LISTED && <div>and {marks.length - LISTED} more</div>}
    </>
  );
}
