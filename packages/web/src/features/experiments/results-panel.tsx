import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useScope } from '../../app/session.ts';
import { formatExact, formatNumber } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Button } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { meanText } from '../judging/judging-words.ts';
import { metricsQuery } from '../judging/queries.ts';
import { intervalText, liftText, neededText, rangeOf, scaleOf, verdictOf } from './experiment-words.ts';
import classes from './experiments.module.css';
import { IntervalBar } from './interval-bar.tsx';
import { armContrast, exposedTraces, metricRows, windowOf } from './links.ts';
import type { Experiment, MeasuredMetric, Results, VariantNumbers } from './queries.ts';
import { StatisticsDialog } from './statistics-dialog.tsx';

const roles = { goal: 'Metrics that decide', guardrail: 'Must not get worse', secondary: 'Also measured' } as const;

const AXIS = 'no difference';
const COLUMNS: readonly { readonly header: string; readonly width?: number }[] = [
  { header: 'Metric', width: 150 },
  { header: 'Variant', width: 100 },
  { header: 'Units', width: 80 },
  { header: 'Mean', width: 90 },
  { header: 'Change', width: 80 },
  { header: AXIS, width: 200 },
  { header: 'Verdict', width: 145 },
  { header: 'Still needed' },
  { header: 'More', width: 185 },
];

interface Shown {
  readonly metric: MeasuredMetric;
  readonly numbers: VariantNumbers;
}

/** Each metric with its variants: mean, change, interval and verdict; each cell opens the rows behind it. */
export function ResultsPanel({ experiment, results }: { experiment: Experiment; results: Results }) {
  const [shown, setShown] = useState<Shown | null>(null);
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
              <Table experiment={experiment} metrics={metrics} scale={scale} label={roles[role]} onShow={setShown} />
            </div>
          </Panel>
        );
      })}
      <p className="dim">
        With {formatNumber(100 * (1 - alpha))}% certainty the difference is inside of its bar
        {engine === 'bayesian'
          ? ', given what is believed before. Looking often and stopping early is not accounted for.'
          : sequential
            ? ', however often you look.'
            : ', if you look once, at a time that was planned before.'}{' '}
        Bars show the difference as a part of the control's mean. A verdict needs 10 events in each variant.
      </p>
      <StatisticsDialog
        experiment={experiment}
        goals={results.metrics.filter(({ role }) => role === 'goal').length * (experiment.variants.length - 1)}
        shown={shown}
        onClose={() => setShown(null)}
      />
    </>
  );
}

interface Context {
  experiment: Experiment;
  scale: number;
  onShow: (shown: Shown) => void;
}

function Table({ metrics, label, ...context }: Context & { metrics: readonly MeasuredMetric[]; label: string }) {
  const { scale } = context;
  return (
    <table className={classes.results} aria-label={label}>
      <colgroup>
        {COLUMNS.map(({ header, width }) => (
          <col key={header} style={width === undefined ? undefined : { width }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {COLUMNS.map(({ header }) => (
            <th key={header} scope="col">
              {header === AXIS ? (
                <span className={classes.axis}>
                  <span>{liftText(-scale)}</span>
                  <span>{AXIS}</span>
                  <span>{liftText(scale)}</span>
                </span>
              ) : (
                header
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {metrics.map((metric) =>
          metric.error !== null ? (
            <tr key={metric.metric}>
              <td>{metric.name}</td>
              <td colSpan={8}>{metric.error}</td>
            </tr>
          ) : (
            metric.variants.map((numbers, i) => (
              <Row
                key={`${metric.metric} ${numbers.variant}`}
                {...context}
                metric={metric}
                numbers={numbers}
                isFirst={i === 0}
              />
            ))
          ),
        )}
      </tbody>
    </table>
  );
}

function Row({ experiment, scale, onShow, metric, numbers, isFirst }: Context & Shown & { isFirst: boolean }) {
  const { variant } = numbers;
  const isControl = numbers.verdict === 'control';
  return (
    <tr>
      <td data-label="Metric">{isFirst && metric.name}</td>
      <td data-label="Variant">{variant}</td>
      <td className={classes.number} data-label="Units">
        <Rows
          experiment={experiment}
          label={`Traces of units with ${variant}`}
          query={exposedTraces(experiment, variant)}
        >
          {formatExact(numbers.n)}
        </Rows>
      </td>
      <td className={classes.number} data-label="Mean">
        <MetricRows experiment={experiment} variant={variant} metric={metric}>
          {meanText(metric, numbers.mean)}
        </MetricRows>
      </td>
      <td className={classes.number} data-label="Change">
        {isControl ? '' : liftText(numbers.lift)}
      </td>
      <td title={isControl ? undefined : intervalText(rangeOf(metric, numbers))} data-label="Difference">
        {!isControl && <IntervalBar metric={metric} numbers={numbers} scale={scale} />}
      </td>
      <td data-label="Verdict">
        <StateLabel {...verdictOf(numbers)} />
      </td>
      <td className="dim" data-label="Still needed">
        {neededText(numbers, experiment.analysis.minimal_effect)}
      </td>
      <td className={classes.number} data-label="More">
        {!isControl && (
          <>
            <Button
              size="compact-xs"
              variant="subtle"
              aria-label={`Statistics of ${metric.name} for ${variant}`}
              onClick={() => onShow({ metric, numbers })}
            >
              Statistics
            </Button>{' '}
            <Rows
              experiment={experiment}
              label={`What distinguishes requests with ${variant}`}
              query={armContrast(experiment, variant)}
            >
              What differs
            </Rows>
          </>
        )}
      </td>
    </tr>
  );
}

/** A link to the telemetry behind a number, in the time of the experiment. */
function Rows({
  experiment,
  label,
  query,
  children,
}: {
  experiment: Experiment;
  label: string;
  query: string;
  children: string;
}) {
  const scope = useScope();
  return (
    <AppLink
      to="/w/$ws/$project/explore"
      params={scope}
      search={{ q: query, env: experiment.environment, ...windowOf(experiment) }}
      title={label}
      aria-label={`${children}: ${label}`}
    >
      {children}
    </AppLink>
  );
}

function MetricRows({
  experiment,
  variant,
  metric,
  children,
}: {
  experiment: Experiment;
  variant: string;
  metric: MeasuredMetric;
  children: string;
}) {
  const { ws, project } = useScope();
  const { data: metrics } = useQuery(metricsQuery(ws, project));
  const definition = metrics?.find(({ id }) => id === metric.metric);
  if (definition === undefined) return children;
  return (
    <Rows
      experiment={experiment}
      label={`Rows of ${metric.name} from units with ${variant}, with their traces`}
      query={metricRows(experiment, variant, definition)}
    >
      {children}
    </Rows>
  );
}
