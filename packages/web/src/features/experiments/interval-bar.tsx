import { barOf, intervalText, liftText, rangeOf, verdictOf } from './experiment-words.ts';
import classes from './experiments.module.css';
import type { MeasuredMetric, VariantNumbers } from './queries.ts';

/** The difference and its interval as parts of the control's mean, on a scale that all rows of a table share. */
export function IntervalBar({
  metric,
  numbers,
  scale,
}: {
  metric: Pick<MeasuredMetric, 'variants'>;
  numbers: VariantNumbers;
  scale: number;
}) {
  const { lift } = numbers;
  const interval = rangeOf(metric, numbers);
  const bar = barOf(lift, interval, scale);
  if (bar === null) return <span className="dim">–</span>;
  const text = `${liftText(lift)}, between ${intervalText(interval)}`;
  return (
    <svg className={classes.bar} viewBox="0 0 100 18" preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      <line className={classes.zero} x1="50" x2="50" y1="0" y2="18" vectorEffect="non-scaling-stroke" />
      <rect
        className={classes.interval}
        data-tone={verdictOf(numbers).tone}
        x={100 * bar.from}
        y="6"
        width={Math.max(0.5, 100 * (bar.to - bar.from))}
        height="6"
      />
      <rect className={classes.point} x={100 * bar.at - 0.5} y="3" width="1" height="12" />
    </svg>
  );
}
