import type { GuardedLook } from '@fanion/contract';
import { builtInMetric, type Exposed, type MeasureMetrics, type Measurement, ratioOf } from '../metrics/index.ts';
import { judge } from './numbers-rules.ts';
import type { PlacedRelease } from './store.ts';

const notMeasured = { verdict: 'not_sure', harm: null, bound: null, upper: null, units_needed: null } as const;

export type LookMeasure = Pick<MeasureMetrics, 'units' | 'all'>;

/**
 * What has happened since the release was armed. A guard that cannot be measured has an error; throws if nothing can be measured.
 */
export async function takeLook(
  measure: LookMeasure,
  release: PlacedRelease,
  nowMs: number,
  signal: AbortSignal,
): Promise<GuardedLook> {
  const { definition, frozen, armed_at } = release;
  if (frozen === null || armed_at === null) throw new Error(`the guarded release ${release.id} is not armed`);
  const { variant } = definition;
  const { control, metrics } = frozen;
  const exposed: Exposed = {
    scope: {
      workspace: release.workspace_number,
      project: release.project_number,
      environment: release.environment,
    },
    flag: release.flag,
    arms: [control, variant],
    fromMs: armed_at.getTime(),
    toMs: nowMs,
  };
  const units = await measure.units(exposed, signal);
  const seen = Object.values(units.arms).reduce((sum, n) => sum + n, 0);
  const missing = definition.guards.findIndex((_, i) => metrics[i] === undefined);
  if (missing !== -1) throw new Error(`the guarded release ${release.id} lacks the metric of guard ${missing}`);
  const definitions = metrics.map((metric) => metric.definition);
  const measured = seen === 0 ? [] : await measure.all(exposed, definitions, { units, signal });
  const isSilent = definitions.map(({ unit }, i) => unit === 'trace_id' && hasNoRows(measured[i]));
  const isBlind = isSilent.includes(true) && !(await seesRequests(measure, exposed, { units, signal }));
  const tests = { alpha: definition.alpha, guards: definition.guards.length };
  const guards = definition.guards.flatMap((guard, i): GuardedLook['guards'] => {
    const [metric, found] = [metrics[i], measured[i]];
    if (metric === undefined) return [];
    const sums = found !== undefined && 'sums' in found ? found.sums : [];
    const of = (arm: string) => sums.find(({ variant }) => variant === arm);
    const [a, b] = [of(control), of(variant)];
    if (a !== undefined && b !== undefined && !(isBlind && isSilent[i]))
      return [{ ...judge(metric, guard, { control: a, treatment: b }, tests), metric: guard.metric }];
    const nothing = { n: 0, mean: null };
    const { name } = metric;
    const error =
      found === undefined ? null : 'error' in found ? found.error : 'the traces that saw the flag have no request yet';
    const arms = { control: nothing, treatment: nothing };
    const { metric: named, tolerance } = guard;
    return [{ metric: named, name, tolerance, ...arms, ...notMeasured, error }];
  });
  return {
    at: new Date(nowMs).toISOString(),
    units: { ...units.arms },
    crossed: units.crossed,
    sample_ratio: ratioOf(units.arms, { [control]: 1, [variant]: 1 }, units.crossed),
    guards,
  };
}

function hasNoRows(measured: Measurement | undefined): boolean {
  return measured !== undefined && 'sums' in measured && measured.sums.every(({ rows }) => rows === 0);
}

/**
 * Whether the traces that saw the flag have requests at all. If not, that they have no exceptions says nothing: traces may not be sent, or the
 * flag is evaluated outside of them.
 */
async function seesRequests(
  measure: LookMeasure,
  exposed: Exposed,
  options: Parameters<LookMeasure['all']>[2],
): Promise<boolean> {
  const requests = builtInMetric('requests');
  if (requests === undefined) throw new Error('requests is built in');
  const [measured] = await measure.all(exposed, [requests.definition], options);
  return !hasNoRows(measured);
}
