import type { Clock } from '../../../platform/clock.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { Window } from '../../../platform/time-window.ts';
import { countFields } from '../../telemetry/contrast/index.ts';
import { compileFor } from '../../telemetry/query/index.ts';
import { namedFields } from '../../telemetry/why/index.ts';
import { type Counts, sumRanges } from '../budget/index.ts';
import { countedSlo, scopeOfSlo } from './derive.ts';
import { eventsQuery } from './indicator-rules.ts';
import { flagShares, spendersOf } from './spent-by-rules.ts';
import { countByVariant } from './spent-by-store.ts';
import type { SloRow } from './store.ts';

/** Up to this many events are counted exactly; beyond it, a sample of them represents all. */
const maxExactRows = 200_000;

const fieldsOf = {
  spans: ['service.name', 'name', 'kind', 'status', 'environment', 'scope.name'],
  logs: ['service.name', 'severity', 'event_name', 'environment', 'scope.name'],
} as const;

/** The attributes and flag variants of the bad events of a window. What cannot be found out is an error in the answer. */
export async function findSpentBy(
  { gateway, clock }: { gateway: Gateway; clock: Clock },
  slo: SloRow,
  window: Window,
  signal: AbortSignal,
) {
  const shown = { from: isoOf(window.fromNs), to: isoOf(window.toNs) };
  try {
    const [attributes, flags] = await Promise.all([
      findAttributes({ gateway, clock }, slo, window, signal),
      findFlags(gateway, slo, window, signal),
    ]);
    return { ...shown, error: null, attributes, ...flags };
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error;
    return { ...shown, error: error.message, good: 0, total: 0, attributes: [], flags: [] };
  }
}

async function findAttributes(
  { gateway, clock }: { gateway: Gateway; clock: Clock },
  slo: SloRow,
  window: Window,
  signal: AbortSignal,
) {
  const { indicator } = slo.definition;
  const signalName = indicator.kind === 'events' ? /^\s*(spans|logs)\b/.exec(indicator.source)?.[1] : undefined;
  if (indicator.kind !== 'events' || (signalName !== 'spans' && signalName !== 'logs'))
    throw fail('SLO_INVALID', { reason: 'only events that are spans or logs have attributes to compare' });
  const scope = scopeOfSlo(slo);
  const telemetry = gateway.lane('interactive');
  const [counted] = await sumRanges(
    telemetry,
    [{ slo: countedSlo(slo), fromMs: [Number(window.fromNs / 1_000_000n)] }],
    Number(window.toNs / 1_000_000n),
    signal,
  );
  const total = counted?.ranges[0]?.total ?? 0;
  const share = total > maxExactRows ? Math.max(1e-6, maxExactRows / total) : undefined;
  const compile = (text: string) =>
    compileFor(
      text,
      { scope, window, limit: maxExactRows * 2, nowMs: clock.now() },
      { compiler: gateway.compiler, signal },
    );
  const rows = await compile(
    [
      `${indicator.source}\n`,
      ...(share === undefined ? [] : [`sample ${share.toFixed(6)}`]),
      `extend in_selection=if(${`(${indicator.good}\n)`}, 0, 1)`,
      `fields in_selection, ${fieldsOf[signalName].join(', ')}, attributes, resource`,
    ].join(' | '),
  );
  const { explain } = await compile(`${indicator.source}\n| where (${indicator.good}\n)`);
  const found = await countFields(telemetry, scope, rows, signal);
  return spendersOf(found, namedFields(explain.fields.map(({ ref }) => ref)));
}

async function findFlags(gateway: Gateway, slo: SloRow, window: Window, signal: AbortSignal) {
  const { indicator, objective } = slo.definition;
  if (indicator.kind !== 'events') return { good: 0, total: 0, flags: [] };
  const { all, variants } = await countByVariant(gateway, scopeOfSlo(slo), eventsQuery(indicator), window, signal);
  return { good: all.good, total: all.total, flags: flagShares(all satisfies Counts, variants, objective) };
}

function isoOf(ns: bigint): string {
  return new Date(Number(ns / 1_000_000n)).toISOString();
}
