import { type KeyboardEvent, type PointerEvent, useMemo } from 'react';
import { requestsQuery, type Target } from '../../alerting/symptom-rules.ts';
import { useAnswer } from '../../alerting/use-answer.ts';
import { asRecords } from '../../telemetry/results.ts';
import { countOf, formatDuration } from '../../ui/format/index.ts';
import { ErrorNotice, Loading } from '../../ui/states.tsx';
import { useDraggedValue } from '../../ui/use-dragged-value.ts';
import { bandStart, bandTicks } from '../traces/heat-map.ts';
import classes from './distribution.module.css';
import { type Bands, bandsAround, bandsOf, distributionQuery, placeOf, valueAt } from './distribution-rules.ts';
import { movedThreshold, rounded } from './slo-symptom.ts';

const LAST_WEEK = { from: 'now-7d', to: 'now' };

function useBands({ service, operation }: Target, environment: string | undefined) {
  const query = useMemo(() => distributionQuery(requestsQuery({ service, operation })), [service, operation]);
  const answer = useAnswer(query, { range: LAST_WEEK, environment });
  const bands = useMemo(() => bandsOf(answer.data === undefined ? [] : asRecords(answer.data.result)), [answer.data]);
  return { answer, bands };
}

/** How long the requests of the last week took, with the threshold as a line to drag. */
export function Distribution({
  target,
  environment,
  threshold,
  onChange,
}: {
  target: Target;
  environment: string | undefined;
  /** Nanoseconds. */
  threshold: number;
  onChange: (threshold: number) => void;
}) {
  const { answer, bands } = useBands(target, environment);
  const { dragged, handle } = useDraggedValue();
  if (answer.isError) return <ErrorNotice error={answer.error} />;
  if (answer.isPending) return <Loading label="Counting the requests of the last 7 days" />;
  if (bands.counts.length === 0)
    return (
      <span className="dim">
        There were no requests in the last 7 days. Type the threshold, or choose another service.
      </span>
    );
  const shown = dragged ?? threshold;
  const drawn = bandsAround(bands, threshold);
  const at = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.parentElement?.getBoundingClientRect();
    const share = box === undefined ? 0 : (event.clientX - box.left) / box.width;
    return rounded(valueAt(drawn, Math.min(1, Math.max(0, share))));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const steps = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    onChange(movedThreshold(threshold, steps));
  };
  return (
    <figure className={classes.figure} aria-label="Durations of the last 7 days">
      <div className={classes.plot}>
        <Bars bands={drawn} threshold={shown} />
        <div
          role="slider"
          tabIndex={0}
          aria-label="Threshold by line"
          aria-orientation="horizontal"
          aria-valuemin={Math.round(bandStart(drawn.low))}
          aria-valuemax={Math.round(bandStart(drawn.high))}
          aria-valuenow={shown}
          aria-valuetext={formatDuration(shown)}
          className={classes.line}
          style={{ left: `${100 * placeOf(drawn, shown)}%` }}
          onKeyDown={onKeyDown}
          {...handle(at, onChange)}
        >
          <span data-left={placeOf(drawn, shown) > 0.7 || undefined}>{formatDuration(shown)}</span>
        </div>
      </div>
      <Ticks bands={drawn} />
    </figure>
  );
}

function Bars({ bands: { low, counts }, threshold }: { bands: Bands; threshold: number }) {
  const most = Math.max(...counts);
  return counts.map((count, index) => {
    const start = bandStart(low + index);
    const title = `${formatDuration(Math.round(start))} to ${formatDuration(Math.round(bandStart(low + index + 1)))}: ${countOf(count, 'request')}`;
    return (
      <i
        key={start}
        title={title}
        data-slow={start >= threshold || undefined}
        style={{ height: count === 0 ? 0 : `max(1px, ${(100 * count) / most}%)` }}
      />
    );
  });
}

function Ticks({ bands }: { bands: Bands }) {
  return (
    <div className={classes.ticks} aria-hidden>
      {bandTicks(bands).map(({ band, ns }) => (
        <span key={band} style={{ left: `${(100 * (band - bands.low)) / (bands.high - bands.low)}%` }}>
          {formatDuration(ns)}
        </span>
      ))}
    </div>
  );
}
