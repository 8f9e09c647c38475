import { formatExact, formatNumber } from '../../ui/format/index.ts';
import { Panel } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './experiments.module.css';
import type { Experiment, Results } from './queries.ts';

/** Whether the numbers below can be trusted. */
export function HealthPanel({ experiment, results }: { experiment: Experiment; results: Results }) {
  const { health, reliable, snapshot_at: at, frozen } = results;
  const { observed, expected, p_value: p } = health.sample_ratio;
  return (
    <Panel title="Health">
      <div className={classes.stack}>
        {health.warnings.map((warning) => (
          <Notice key={warning} kind={reliable ? 'warning' : 'error'}>
            {warning}
          </Notice>
        ))}
        <dl className={classes.facts} aria-label="Units">
          {experiment.variants.map(({ variant }) => (
            <div key={variant}>
              <dt>{variant}</dt>
              <dd>
                {formatExact(observed[variant] ?? 0)}{' '}
                <span className="dim">of {formatNumber(Math.round(expected[variant] ?? 0))} expected</span>
              </dd>
            </div>
          ))}
          <div>
            <dt>Split</dt>
            <dd title={p === null ? undefined : `sequential p-value ${p.toPrecision(2)}`}>
              {reliable ? 'as intended' : 'not as intended'}
            </dd>
          </div>
          <div>
            <dt>Saw several variants</dt>
            <dd>{formatExact(health.crossed_units)}</dd>
          </div>
        </dl>
        <span className="dim">
          {frozen ? 'Final results of ' : 'Computed '}
          <Timestamp value={at} ago />. Units that saw several variants are left out.
        </span>
      </div>
    </Panel>
  );
}
