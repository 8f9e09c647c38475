import { formatExact, formatNumber } from '../../ui/format/index.ts';
import { Panel } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { evidenceText, intervalText, liftText, meanText, scaleOf, verdictOf } from './experiment-words.ts';
import classes from './experiments.module.css';
import { IntervalBar } from './interval-bar.tsx';
import type { Experiment, MeasuredMetric, Results } from './queries.ts';

const roles = { goal: 'Goals', secondary: 'Also measured', guardrail: 'Must not get worse' } as const;

/** Each metric with its variants: mean, lift, interval and verdict. */
export function ResultsPanel({ experiment, results }: { experiment: Experiment; results: Results }) {
  const scale = scaleOf(results.metrics);
  const { alpha, sequential, engine } = experiment.analysis;
  if (results.metrics.length === 0) return <Notice kind="info">The experiment has no metrics.</Notice>;
  return (
    <>
      {(Object.keys(roles) as (keyof typeof roles)[]).map((role) => {
        const metrics = results.metrics.filter((metric) => metric.role === role);
        return metrics.length === 0 ? null : (
          <Panel key={role} title={roles[role]} tight>
            <div className={classes.scroll}>
              <Table metrics={metrics} scale={scale} label={roles[role]} />
            </div>
          </Panel>
        );
      })}
      <p className="dim">
        Intervals of {formatNumber(100 * (1 - alpha))}%
        {engine === 'bayesian'
          ? ', Bayesian: looking often and stopping early is not accounted for.'
          : sequential
            ? ', valid however often you look.'
            : ', valid for one look at a time that was planned before.'}{' '}
        A verdict is taken from the difference and needs 10 events in each variant.
      </p>
    </>
  );
}

function Table({ metrics, scale, label }: { metrics: readonly MeasuredMetric[]; scale: number; label: string }) {
  return (
    <table className={classes.results} aria-label={label}>
      <thead>
        <tr>
          {['Metric', 'Variant', 'Units', 'Mean', 'Lift', 'Interval of the lift', 'Verdict', 'Evidence'].map(
            (header) => (
              <th key={header} scope="col">
                {header}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {metrics.map(({ metric, error, variants }) =>
          error !== null ? (
            <tr key={metric.id}>
              <td>{metric.name}</td>
              <td colSpan={7}>{error}</td>
            </tr>
          ) : (
            variants.map((numbers, i) => (
              <tr key={`${metric.id} ${numbers.variant}`}>
                <td>{i === 0 ? metric.name : ''}</td>
                <td>{numbers.variant}</td>
                <td className={classes.number}>{formatExact(numbers.n)}</td>
                <td className={classes.number}>{meanText(metric.kind, numbers.mean)}</td>
                <td className={classes.number}>{liftText(numbers.lift)}</td>
                <td className={classes.wide} title={intervalText(numbers.lift_interval)}>
                  <IntervalBar numbers={numbers} scale={scale} />
                </td>
                <td>
                  <StateLabel {...verdictOf(numbers)} />
                </td>
                <td className="dim">{evidenceText(numbers)}</td>
              </tr>
            ))
          ),
        )}
      </tbody>
    </table>
  );
}
