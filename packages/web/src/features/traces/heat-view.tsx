import { useNavigate, useSearch } from '@tanstack/react-router';
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useTimeRange } from '../../app/time-range.ts';
import { bucketWidth } from '../../telemetry/bucket-width.ts';
import { EmptyWindow } from '../../telemetry/empty-window.tsx';
import { useOql } from '../../telemetry/oql.ts';
import { asRecords } from '../../telemetry/results.ts';
import { timeTicks } from '../../ui/chart/axis.ts';
import { countOf, formatDuration, formatTimestamp } from '../../ui/format/index.ts';
import { Button, Group, useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { useTimeZone } from '../../ui/time/use-time-zone.ts';
import { Contrast, type ContrastSelection } from './contrast.tsx';
import classes from './heat-map.module.css';
import { type Box, bandsOf, bandTicks, boxOf, boxText, clockTicks, heatQuery, parseBox, readHeat } from './heat-map.ts';

const HEIGHT = 300;
/** Leaves room for the list below. */
const ABOVE_HEIGHT = 150;
/** A drag of fewer pixels counts as a click. */
const DRAG = 6;
const ERRORS = 'errors';

/** Durations over time as a heat map; a dragged box shows what distinguishes its spans from all others. */
export function HeatView({
  conditions,
  isAbove = false,
}: {
  conditions: readonly string[];
  /** Whether the list of traces follows, which says itself that there are none. */
  isAbove?: boolean;
}) {
  const { box: text } = useSearch({ from: '/w/$ws/$project/traces' });
  const navigate = useNavigate();
  const { range } = useTimeRange();
  const resolved = resolveRange(range, Date.now());
  const bucket = bucketWidth((resolved?.to ?? 1) - (resolved?.from ?? 0), 90);
  const answer = useOql(heatQuery(conditions, bucket.text), { limit: 50_000, keep: true });
  const cells = useMemo(() => readHeat(answer.data ? asRecords(answer.data.result) : []), [answer.data]);
  const box = parseBox(text);
  const select = (next: string | undefined) =>
    void navigate({ to: '.', search: (old) => ({ ...old, box: next }), replace: text !== undefined });
  const selection: ContrastSelection | null = box
    ? {
        from: new Date(box.from).toISOString(),
        to: new Date(box.to).toISOString(),
        min_duration: `${box.min}ns`,
        max_duration: `${box.max}ns`,
      }
    : text === ERRORS
      ? { where: 'status == error' }
      : null;

  if (answer.isError) return <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />;
  if (answer.isPending || !answer.data.window)
    return isAbove ? (
      <Skeleton height={ABOVE_HEIGHT + 110} label="Loading durations" />
    ) : (
      <Loading label="Loading durations" />
    );
  if (cells.length === 0)
    return isAbove ? null : (
      <EmptyWindow title="No spans found">Remove a condition, or widen the time range.</EmptyWindow>
    );
  const count = cells.reduce((sum, cell) => sum + cell.count, 0);
  return (
    <>
      <Panel
        title={`Durations of ${countOf(count, 'span')}`}
        actions={
          <Group gap="sm">
            <Button variant="default" size="xs" onClick={() => select(ERRORS)}>
              What distinguishes errors?
            </Button>
            {text !== undefined && (
              <Button variant="subtle" color="gray" size="xs" onClick={() => select(undefined)}>
                Clear selection
              </Button>
            )}
          </Group>
        }
      >
        <HeatMap
          cells={cells}
          window={answer.data.window}
          height={isAbove ? ABOVE_HEIGHT : HEIGHT}
          width={bucket.milliseconds}
          box={box}
          onBox={(next) => select(boxText(next))}
        />
        <p className={classes.note}>
          Drag a box over spans to see which attributes distinguish them. Darker: more spans; red: failing spans.
        </p>
      </Panel>
      {selection && (
        <Contrast
          title={
            box
              ? `${formatDuration(box.min)} to ${formatDuration(box.max)}, ${formatTimestamp(box.from)} to ${formatTimestamp(box.to).slice(11)}`
              : 'failing spans'
          }
          conditions={conditions}
          selection={selection}
        />
      )}
    </>
  );
}

const INK = {
  light: { base: [70, 80, 207], error: [192, 38, 50], label: '#566170', grid: '#e7eaef' },
  dark: { base: [152, 162, 244], error: [255, 123, 129], label: '#9aa5b4', grid: '#232a34' },
} as const;
const AXIS = { left: 64, bottom: 22 } as const;

function HeatMap({
  cells,
  window,
  width: bucket,
  height,
  box,
  onBox,
}: {
  cells: ReturnType<typeof readHeat>;
  window: { from: number; to: number };
  width: number;
  height: number;
  box: Box | null;
  onBox: (box: Box) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme();
  const zone = useTimeZone();
  const bands = useMemo(() => bandsOf(cells), [cells]);
  const [width, setWidth] = useState(800);
  const [drag, setDrag] = useState<{ x0: number; y0: number; x1: number; y1: number } | null>(null);
  const plotWidth = width - AXIS.left;
  const plotHeight = height - AXIS.bottom;
  const rows = bands.high - bands.low;
  const x = (time: number) => AXIS.left + ((time - window.from) / (window.to - window.from)) * plotWidth;
  const y = (band: number) => ((bands.high - band) / rows) * plotHeight;

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: x and y derive from the listed values
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    const ink = INK[scheme];
    element.width = width * devicePixelRatio;
    element.height = height * devicePixelRatio;
    context.scale(devicePixelRatio, devicePixelRatio);
    context.clearRect(0, 0, width, height);
    context.font = '11px Inter, system-ui, sans-serif';
    context.textBaseline = 'middle';
    for (const { band, ns } of bandTicks(bands)) {
      context.fillStyle = ink.grid;
      context.fillRect(AXIS.left, Math.round(y(band)), plotWidth, 1);
      context.fillStyle = ink.label;
      context.textAlign = 'right';
      context.fillText(formatDuration(ns), AXIS.left - 8, Math.max(7, Math.min(y(band), plotHeight - 6)));
    }
    const { step, times } = clockTicks(window, Math.max(2, Math.floor(plotWidth / 90)));
    context.textAlign = 'center';
    for (const [index, label] of timeTicks(times, step).entries()) {
      const at = x(times[index] ?? 0);
      context.fillStyle = ink.grid;
      context.fillRect(Math.round(at), plotHeight, 1, 4);
      context.fillStyle = ink.label;
      const [clock = '', day] = label.split('\n');
      context.fillText(day ?? clock, Math.min(at, width - 20), height - 8);
    }
    const most = Math.log1p(Math.max(...cells.map((cell) => cell.count)));
    const cellWidth = Math.max(1.5, (bucket / (window.to - window.from)) * plotWidth - 0.5);
    const cellHeight = Math.max(1.5, plotHeight / rows - 0.5);
    for (const { time, band, count, errors } of cells) {
      const [r, g, b] = ink.base.map((from, index) => Math.round(from + ((ink.error[index] ?? 0) - from) * errors));
      context.fillStyle = `rgba(${r}, ${g}, ${b}, ${0.18 + 0.82 * (Math.log1p(count) / most)})`;
      const left = Math.max(AXIS.left, x(time));
      context.fillRect(left, y(band + 1), Math.min(cellWidth - (left - x(time)), width - left), cellHeight);
    }
  }, [cells, bands, window.from, window.to, bucket, width, height, scheme, zone]);

  const at = (event: PointerEvent<HTMLElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return {
      x: Math.min(Math.max(event.clientX - left, AXIS.left), width),
      y: Math.min(Math.max(event.clientY - top, 0), plotHeight),
    };
  };
  const drawn = drag
    ? {
        left: Math.min(drag.x0, drag.x1),
        top: Math.min(drag.y0, drag.y1),
        width: Math.abs(drag.x1 - drag.x0),
        height: Math.abs(drag.y1 - drag.y0),
      }
    : box && boxPlace(box, x, y);
  return (
    <div
      className={classes.map}
      style={{ height: height }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const { x: x0, y: y0 } = at(event);
        setDrag({ x0, y0, x1: x0, y1: y0 });
      }}
      onPointerMove={(event) => {
        const { x: x1, y: y1 } = at(event);
        setDrag((old) => old && { ...old, x1, y1 });
      }}
      onPointerUp={() => {
        if (!drag || !drawn) return;
        setDrag(null);
        if (drawn.width < DRAG || drawn.height < DRAG) return;
        onBox(
          boxOf(
            {
              left: (drawn.left - AXIS.left) / plotWidth,
              right: (drawn.left + drawn.width - AXIS.left) / plotWidth,
              top: drawn.top / plotHeight,
              bottom: (drawn.top + drawn.height) / plotHeight,
            },
            window,
            bands,
            bucket,
          ),
        );
      }}
      onPointerCancel={() => setDrag(null)}
    >
      <canvas ref={canvas} className={classes.canvas} role="img" aria-label="Durations of spans over time" />
      {drawn && <div className={classes.box} style={drawn} />}
    </div>
  );
}

function boxPlace(box: Box, x: (time: number) => number, y: (band: number) => number) {
  const band = (ns: number) => Math.log10(ns / 1000) * 8;
  const left = Math.max(AXIS.left, x(box.from));
  return { left, top: y(band(box.max)), width: x(box.to) - left, height: y(band(box.min)) - y(band(box.max)) };
}
