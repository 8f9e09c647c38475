import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useCan, useScope } from '../../app/session.ts';
import { oqlQuery, quote } from '../../telemetry/oql.ts';
import { asRecords, resultCharts } from '../../telemetry/results.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { countOf, formatNumber } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { EFFECT_BUCKET, EFFECT_WINDOW, effectQuery, effectTotalsQuery } from './effect.ts';
import { flagColours } from './flag-colours.ts';
import classes from './flags.module.css';
import type { Environment, Flag } from './types.ts';

/** How a flag is used in an environment: its last evaluation, and the variants served in the last day. */
export function FlagUse({ flag, environment }: { flag: Flag; environment: Environment }) {
  const canQuery = useCan('telemetry:query');
  const last = flag.environments.find((state) => state.environment === environment.key)?.last_evaluated_at ?? null;
  const unknown = (
    <p className="dim">
      No evaluations recorded. The server counts its own evaluations; SDKs report theirs over OpenTelemetry.
    </p>
  );
  return (
    <Panel title="Evaluations">
      {last !== null && (
        <p className="dim">
          Last evaluated <Timestamp value={last} ago />
        </p>
      )}
      {canQuery ? (
        <LastDay flag={flag} environment={environment.key} empty={last === null && unknown} />
      ) : (
        last === null && unknown
      )}
    </Panel>
  );
}

/** Evaluations of the last day by variant; `empty` if there are none. */
function LastDay({ flag, environment, empty }: { flag: Flag; environment: string; empty: ReactNode }) {
  const { ws, project } = useScope();
  const scheme = useComputedColorScheme();
  // The same questions as those of the charts beside the targeting, so that they are asked once.
  const ask = (query: string) => oqlQuery({ query, ws, project, environment, range: EFFECT_WINDOW });
  const overTime = useQuery(ask(effectQuery(flag.key, EFFECT_BUCKET)));
  const byVariant = useQuery(ask(effectTotalsQuery(flag.key)));
  const chart = useMemo(() => {
    const charts = overTime.data === undefined ? [] : resultCharts(overTime.data.result, scheme, 2);
    const drawn = charts.find(({ measure }) => measure === 'evaluations');
    if (drawn === undefined) return undefined;
    // A variant has the same color as in the editor beside it.
    const colours = flagColours(flag, scheme);
    const series = drawn.series.map((one) => ({ ...one, colour: colours.get(one.label) ?? one.colour }));
    return { ...drawn, series };
  }, [overTime.data, flag, scheme]);
  const rows = byVariant.data === undefined ? [] : asRecords(byVariant.data.result);
  const total = rows.reduce((sum, { n }) => sum + Number(n), 0);
  if (byVariant.data !== undefined && total === 0) return empty;
  return (
    <>
      {chart !== undefined && chart.times.length > 0 && (
        <Chart
          label="Evaluations by variant over time"
          times={chart.times}
          series={chart.series}
          kind="stack"
          height={110}
          legend={false}
          window={overTime.data?.window}
        />
      )}
      <ErrorNotice error={byVariant.error ?? overTime.error} />
      {total > 0 && (
        <VariantTable
          rows={rows}
          colourOf={(label) => chart?.series.find((series) => series.label === label)?.colour ?? 'transparent'}
        />
      )}
      <p style={{ marginTop: 8 }}>
        <AppLink
          to="/w/$ws/$project/explore"
          params={{ ws, project }}
          search={{
            q: `flags ${quote(flag.key)} | stats n=count(), errors=ratio(span.status == error), p95=p95(span.duration) by variant, bucket(auto)`,
            env: environment,
            from: EFFECT_WINDOW.from,
          }}
        >
          Errors and durations by variant
        </AppLink>
      </p>
    </>
  );
}

function VariantTable({ rows, colourOf }: { rows: ReturnType<typeof asRecords>; colourOf: (label: string) => string }) {
  return (
    <table className={classes.variants} aria-label="Evaluations of the last day">
      <tbody>
        {rows.map(({ variant, n, units }) => (
          <tr key={String(variant)}>
            <td>
              <span className={classes.variantName}>
                <span className={classes.swatch} style={{ background: colourOf(String(variant ?? '–')) }} />
                {variant === null ? <span className="dim">error</span> : String(variant)}
              </span>
            </td>
            <td>{formatNumber(Number(n))}</td>
            <td className="dim">{Number(units) > 0 ? countOf(Number(units), 'unit') : ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
