import type { GuardedLook } from '@fanion/contract';
import { controlRatio } from '../../flags/flags/index.ts';
import {
  type ArmSums,
  builtInMetric,
  type Exposed,
  type MeasureMetrics,
  type Measurement,
  ratioOf,
} from '../metrics/index.ts';
import { judge, toleranceNow } from './numbers-rules.ts';
import { widestOf } from './rules.ts';
import type { PlacedRelease } from './store.ts';
import { isTimeless, partStartMs, watchParts } from './watch-rules.ts';

const notMeasured = { verdict: 'not_sure', harm: null, bound: null, upper: null, units_needed: null } as const;

export type LookMeasure = Pick<MeasureMetrics, 'units' | 'all'>;

/** A look, and the sums of the control by guard. */
export interface Taken {
  readonly look: GuardedLook;
  readonly control: readonly (ArmSums | null)[];
}

/**
 * What has happened since the release was armed, or while it is watched in this part of the watch. A guard that cannot be measured has an error; throws if nothing
 * can be measured.
 */
export async function takeLook(
  measure: LookMeasure,
  release: PlacedRelease,
  nowMs: number,
  signal: AbortSignal,
): Promise<Taken> {
  const { definition, frozen, armed_at, watched_since } = release;
  if (frozen === null || armed_at === null) throw new Error(`the guarded release ${release.id} is not armed`);
  const { variant } = definition;
  const { control, metrics } = frozen;
  const fromMs = watched_since === null ? armed_at.getTime() : partStartMs(definition.watch, watched_since, nowMs);
  const exposed = exposedTo(release, [control, variant], { fromMs, toMs: nowMs });
  const units = await measure.units(exposed, signal);
  const seen = Object.values(units.arms).reduce((sum, n) => sum + n, 0);
  const missing = definition.guards.findIndex((_, i) => metrics[i] === undefined);
  if (missing !== -1) throw new Error(`the guarded release ${release.id} lacks the metric of guard ${missing}`);
  const definitions = metrics.map((metric) => metric.definition);
  const measured = seen === 0 ? [] : await measure.all(exposed, definitions, { units, signal });
  const isSilent = definitions.map(({ unit }, i) => unit === 'trace_id' && hasNoRows(measured[i]));
  const isBlind = isSilent.includes(true) && !(await seesRequests(measure, exposed, { units, signal }));
  const comparedWith = watched_since === null ? 'control' : 'control_before';
  const alpha = watched_since === null ? definition.alpha : definition.alpha / watchParts;
  const tests = { alpha, guards: definition.guards.length, comparedWith } as const;
  const sumsOf = (i: number, arm: string) => {
    const found = measured[i];
    return found !== undefined && 'sums' in found ? found.sums.find(({ variant }) => variant === arm) : undefined;
  };
  const controlOf = (i: number) => (watched_since === null ? sumsOf(i, control) : frozen.baseline?.[i]) ?? undefined;
  const guards = definition.guards.flatMap((guard, i): GuardedLook['guards'] => {
    const [metric, found] = [metrics[i], measured[i]];
    if (metric === undefined) return [];
    const isLate = watched_since !== null && !isTimeless(metric.definition);
    const [a, b] = [controlOf(i), sumsOf(i, variant)];
    if (a !== undefined && b !== undefined && !isLate && !(isBlind && isSilent[i]))
      return [{ ...judge(metric, guard, { control: a, treatment: b }, tests), metric: guard.metric }];
    const nothing = { n: 0, mean: null };
    const { name } = metric;
    const error = isLate
      ? 'it adds up over time, so everybody cannot be compared with the control of the steps'
      : found === undefined
        ? null
        : 'error' in found
          ? found.error
          : 'the traces that saw the flag have no request yet';
    const arms = { control: nothing, treatment: nothing };
    return [{ metric: guard.metric, name, tolerance: toleranceNow(guard), ...arms, ...notMeasured, error }];
  });
  const look: GuardedLook = {
    at: new Date(nowMs).toISOString(),
    units: { ...units.arms },
    crossed: units.crossed,
    sample_ratio:
      watched_since === null
        ? ratioOf(units.arms, { [control]: controlRatio(widestOf(definition.steps)), [variant]: 1 }, units.crossed)
        : undivided(units.arms, variant, units.crossed),
    compared_with: comparedWith,
    guards,
  };
  return { look, control: metrics.map((_, i) => controlOf(i) ?? null) };
}

function exposedTo(
  { workspace_number, project_number, environment, flag }: PlacedRelease,
  arms: readonly string[],
  window: Pick<Exposed, 'fromMs' | 'toMs'>,
): Exposed {
  return { scope: { workspace: workspace_number, project: project_number, environment }, flag, arms, ...window };
}

/** Everybody gets the variant: there are no shares that could be wrong. */
function undivided(
  arms: Readonly<Record<string, number>>,
  variant: string,
  crossed: number,
): GuardedLook['sample_ratio'] {
  const units = { [variant]: arms[variant] ?? 0 };
  return { ok: true, p_value: null, chi_squared_p: null, observed: units, expected: units, crossed };
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
