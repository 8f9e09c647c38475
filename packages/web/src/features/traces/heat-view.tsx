import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTimeRange } from '../../app/time-range.ts';
import { bucketWidth } from '../../telemetry/bucket-width.ts';
import { EmptyWindow } from '../../telemetry/empty-window.tsx';
import { useOql } from '../../telemetry/oql.ts';
import { asRecords } from '../../telemetry/results.ts';
import { countOf, formatDuration, formatTimestamp } from '../../ui/format/index.ts';
import { Button, Group } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { Contrast, type ContrastSelection } from './contrast.tsx';
import classes from './heat-map.module.css';
import { type Box, boxText, heatQuery, parseBox, readHeat } from './heat-map.ts';
import { HeatMap } from './heat-plot.tsx';

const HEIGHT = 300;
/** Leaves room for the list below. */
const ABOVE_HEIGHT = 150;
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
  const selection = selectionOf(box, text);

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
        actions={<SelectionButtons hasSelection={text !== undefined} onSelect={select} />}
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
      {selection && <Contrast title={titleOf(box)} conditions={conditions} selection={selection} />}
    </>
  );
}

function selectionOf(box: Box | null, text: string | undefined): ContrastSelection | null {
  if (box === null) return text === ERRORS ? { where: 'status == error' } : null;
  return {
    from: new Date(box.from).toISOString(),
    to: new Date(box.to).toISOString(),
    min_duration: `${box.min}ns`,
    max_duration: `${box.max}ns`,
  };
}

function titleOf(box: Box | null): string {
  if (box === null) return 'failing spans';
  const times = `${formatTimestamp(box.from)} to ${formatTimestamp(box.to).slice(11)}`;
  return `${formatDuration(box.min)} to ${formatDuration(box.max)}, ${times}`;
}

function SelectionButtons({
  hasSelection,
  onSelect,
}: {
  hasSelection: boolean;
  onSelect: (box: string | undefined) => void;
}) {
  return (
    <Group gap="sm">
      <Button variant="default" size="xs" onClick={() => onSelect(ERRORS)}>
        What distinguishes errors?
      </Button>
      {hasSelection && (
        <Button variant="subtle" color="gray" size="xs" onClick={() => onSelect(undefined)}>
          Clear selection
        </Button>
      )}
    </Group>
  );
}
