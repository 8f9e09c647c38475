import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useCan, useScope } from '../../app/session.ts';
import { oqlQuery } from '../../telemetry/oql.ts';
import { asRecords, resultCharts } from '../../telemetry/results.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import type { Mark } from '../../ui/chart/marks.tsx';
import { formatDuration, formatNumber, formatPercent } from '../../ui/format/index.ts';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { HappeningLink } from '../timeline/happening-link.tsx';
import { happeningsQuery } from '../timeline/queries.ts';
import { EFFECT_BUCKET, EFFECT_WINDOW, effectQuery, effectSentence, effectTotalsQuery, readEffects } from './effect.ts';
import { flagColours } from './flag-colours.ts';
import classes from './flags.module.css';
import type { Environment, Flag } from './types.ts';

const HEIGHT = 110;
const MOST_MARKS = 50;

const CHARTS = [
  { measure: 'evaluations', title: 'Evaluations', format: formatNumber },
  { measure: 'errors', title: 'Failed requests', format: (value: number) => formatPercent(value) },
  { measure: 'p95', title: 'p95', format: (value: number) => formatDuration(value) },
] as const;

interface Props {
  flag: Flag;
  environment: Environment;
}

/** The charts of a flag in an environment, its changes as marks, and its totals. */
function useEffects({ flag, environment }: Props, enabled: boolean) {
  const scope = useScope();
  const scheme = useComputedColorScheme();
  const ask = (query: string) =>
    oqlQuery({ query, ws: scope.ws, project: scope.project, environment: environment.key, range: EFFECT_WINDOW });
  const series = useQuery({ ...ask(effectQuery(flag.key, EFFECT_BUCKET)), enabled });
  const totals = useQuery({ ...ask(effectTotalsQuery(flag.key)), enabled });
  const changes = useQuery(
    happeningsQuery(scope, EFFECT_WINDOW, { flag: flag.key, environment: environment.key, limit: MOST_MARKS }),
  );
  const marks = useMemo(
    () =>
      (changes.data ?? []).map(
        (one): Mark => ({
          time: Date.parse(one.time),
          label: one.text.replace(`${flag.key}: `, ''),
          tone: one.kind === 'rollback' ? 'error' : 'accent',
          details: <HappeningLink happening={one}>{one.text}</HappeningLink>,
        }),
      ),
    [changes.data, flag.key],
  );
  const charts = useMemo(() => {
    if (series.data === undefined) return undefined;
    const colours = flagColours(flag, scheme);
    return resultCharts(series.data.result, scheme, 2).map((chart) => ({
      ...chart,
      series: chart.series
        .filter(({ label }) => label !== '–')
        .map((one) => ({ ...one, colour: colours.get(one.label) ?? one.colour })),
    }));
  }, [series.data, flag, scheme]);
  return { series, totals, marks, charts };
}

/** What the flag does to requests: evaluations, errors and p95 by variant on one time axis, with its changes. */
export function FlagEffect({ flag, environment }: Props) {
  const canQuery = useCan('telemetry:query');
  const { series, totals, marks, charts } = useEffects({ flag, environment }, canQuery);
  const error = series.error ?? totals.error;
  if (!canQuery) return null;
  const isUsed = flag.environments.some((one) => one.environment === environment.key && one.last_evaluated_at !== null);
  // Room is kept only for a flag that is known to be used, so that the page of another one does not move.
  if (!isUsed && totals.data === undefined) return null;
  const effects = totals.data && readEffects(asRecords(totals.data.result));
  // Nothing to draw: the panel beside the targeting says how evaluations are recorded.
  if (effects?.length === 0) return null;
  return (
    <Panel title="What it does to requests">
      <ErrorNotice error={error} />
      {charts === undefined || effects === undefined ? (
        !error && <Skeleton height={HEIGHT + 100} label="Loading what the flag does" />
      ) : (
        <>
          <p className={classes.effect}>{effectSentence(effects, flag.off_variant)}</p>
          <div className={classes.effects}>
            {CHARTS.map(({ measure, title, format }) => {
              const chart = charts.find((one) => one.measure === measure);
              return (
                <div key={measure}>
                  <span className="dim">{title}</span>
                  <Chart
                    label={`${title} by variant`}
                    times={chart?.times ?? []}
                    series={chart?.series ?? []}
                    format={format}
                    height={HEIGHT}
                    legend={false}
                    syncKey="flag-effect"
                    window={series.data?.window}
                    marks={marks}
                  />
                </div>
              );
            })}
          </div>
          <Legend flag={flag} variants={effects.map(({ variant }) => variant)} />
        </>
      )}
    </Panel>
  );
}

function Legend({ flag, variants }: { flag: Flag; variants: readonly string[] }) {
  const colours = flagColours(flag, useComputedColorScheme());
  return (
    <ul className={classes.legend} aria-label="Variants in the charts">
      {variants.map((variant) => (
        <li key={variant}>
          <span className={classes.swatch} style={{ background: colours.get(variant) }} />
          {variant}
          {variant === flag.off_variant && <span className="dim">off</span>}
        </li>
      ))}
    </ul>
  );
}
