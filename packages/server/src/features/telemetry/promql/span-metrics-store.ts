import { inScope, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { anchored, type LabelCondition, type SampleWindow, type Store } from './condition-store.ts';
import { latencyBounds, type SpanCounts } from './span-metrics-rules.ts';

/** Labels of metrics of spans, by what they are of a span. */
const columns: Readonly<Record<string, string>> = {
  service: 'toString(spans.service)',
  span_name: 'toString(spans.name)',
  span_kind: `concat('SPAN_KIND_', upper(toString(spans.kind)))`,
  status_code: `concat('STATUS_CODE_', upper(toString(spans.status)))`,
};

function conditionOn({ name, op }: LabelCondition, at: number): string {
  const has = Object.hasOwn(columns, name) ? columns[name] : `''`;
  const value = `{value${at}:String}`;
  if (op === '=' || op === '!=') return `${has} ${op} ${value}`;
  return `${op === '!~' ? 'NOT ' : ''}match(${has}, ${value})`;
}

/** Spans by their labels and by the step in which they began, in the order of the steps. A sampled span counts as many as it stands for. */
export async function countSpans(
  { telemetry }: Store,
  scope: TelemetryScope,
  { window, step, conditions }: { window: SampleWindow; step: number; conditions: readonly LabelCondition[] },
  limit: number,
  signal: AbortSignal,
): Promise<SpanCounts[]> {
  const bound = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;
  const where = [
    inScope(scope),
    `time > ${bound('start')} AND time <= ${bound('end')}`,
    `toStartOfFiveMinutes(time) BETWEEN toStartOfFiveMinutes(${bound('start')}) AND toStartOfFiveMinutes(${bound('end')})`,
    ...conditions.map(conditionOn),
  ];
  const labels = Object.entries(columns).map(([name, column]) => `${column} AS ${name}`);
  const within = latencyBounds.map((_, at) => `sumIf(weight, duration <= {bounds:Array(UInt64)}[${at + 1}])`);
  return telemetry.rows<SpanCounts>(
    scope,
    `SELECT ${labels.join(', ')}, toFloat64(intDiv(toUnixTimestamp64Milli(time) + {step:Int64} - 1, {step:Int64}) * {step:Int64}) AS at,
       sum(weight) AS calls, sum(weight * duration) / 1e9 AS seconds, [${within.join(', ')}] AS within
     FROM spans WHERE ${where.join(' AND ')}
     GROUP BY ${Object.keys(columns).join(', ')}, at ORDER BY at LIMIT {limit:UInt32}`,
    {
      start: String(Math.trunc(window.start)),
      end: String(Math.trunc(window.end)),
      step: String(step),
      limit: limit + 1,
      bounds: latencyBounds.map((seconds) => Math.round(seconds * 1e9)),
      ...Object.fromEntries(
        conditions.map(({ op, value }, at) => [`value${at}`, op.endsWith('~') ? anchored(value) : value]),
      ),
    },
    signal,
    { limits: { maxResultRows: limit + 1, maxResultBytes: 128 * 1024 ** 2 } },
  );
}
