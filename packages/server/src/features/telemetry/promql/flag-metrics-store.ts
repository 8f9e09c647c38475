import { inScope, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Store } from './condition-store.ts';
import type { Counted } from './counter-rules.ts';
import { type Counting, conditionsOn, countingLimits, inCounting, parametersOf, stepEnd } from './counting-store.ts';

/** The labels of evaluations, by their columns. */
const columns: Readonly<Record<string, string>> = {
  environment: 'toString(environment)',
  flag: 'toString(flag)',
  reason: 'toString(reason)',
  variant: 'toString(variant)',
};

const place = 'project, environment, flag, version';
const reported = (what: string, within: string) =>
  `SELECT ${place}, ${what} FROM flag_events WHERE ${within} AND source = 'otlp'`;

/** As OQL's source `flags` counts them (`packages/oql/src/schema/flags.ts`): what a client reported wins over what the server counted. */
function countsOnce(within: string): string {
  const minutes = `arrayJoin([toStartOfMinute(time - toIntervalSecond(5)), toStartOfMinute(time + toIntervalSecond(5))])`;
  return `(source = 'otlp' OR NOT if(unit = '', (${place}, toStartOfMinute(time)) IN (${reported(minutes, within)}),
    (${place}, unit) IN (${reported('unit', within)})))`;
}

/** Evaluations of flags by their labels and by the step in which they were. */
export async function countEvaluations(
  { telemetry }: Store,
  scope: TelemetryScope,
  counting: Counting,
  signal: AbortSignal,
): Promise<Counted[]> {
  const within = [inScope(scope), inCounting, ...conditionsOn(columns, counting.conditions)].join(' AND ');
  return telemetry.rows<Counted>(
    scope,
    `SELECT [${Object.values(columns).join(', ')}] AS labels, ${stepEnd} AS at, toFloat64(sum(evaluations)) AS calls
     FROM flag_events WHERE ${within} AND ${countsOnce(`${inScope(scope)} AND ${inCounting}`)}
     GROUP BY labels, at ORDER BY at, labels LIMIT {limit:UInt32}`,
    parametersOf(counting),
    signal,
    { limits: countingLimits(counting) },
  );
}
