import { setImmediate } from 'node:timers/promises';
import type {
  ExperimentDimension,
  ExperimentInteraction,
  ExperimentMetric,
  ExperimentNovelty,
  MetricKind,
} from '@fanion/contract';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { ProjectRetention } from '../../identity/projects/index.ts';
import { createMeasure, isExpression, type Measurement, otherSlice } from '../metrics/index.ts';
import { correctInteractions, type FoundInteraction, interactionOf } from './explore-rules.ts';
import { measuredOf } from './results.ts';
import { armsOfSlice, type Measured, toMeasured } from './sample-rules.ts';
import * as store from './store.ts';
import { type Compared, compareArms, judge } from './verdict-rules.ts';

/** Parts of a dimension: the rest is one part more. */
const mostParts = 7;
const mostDays = 30;
/** Other experiments that one is scanned against. */
const mostOthers = 20;
/** What a unit does over several days, or over all rows, cannot be divided by days. */
const undivided: readonly MetricKind[] = ['retention', 'funnel', 'quantile'];

export interface ExploreDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly retention: ProjectRetention;
}

/** Throws `OQL_INVALID` for an expression that does not compile. */
export async function dimension(
  parts: ExploreDependencies,
  row: store.ExperimentRow,
  place: store.ResultPlace,
  expression: string,
  { reliable, signal }: { readonly reliable: boolean; readonly signal: AbortSignal },
): Promise<ExperimentDimension> {
  const { gateway } = parts;
  const measure = createMeasure(gateway, 'interactive');

  if (!isExpression(expression))
    throw fail('OQL_INVALID', { reason: 'dimension: must be one expression, without further stages' });
  const { exposed, metrics } = await measured(parts, row, place);
  const found = await measure.values(exposed, expression, { limit: mostParts + 2, signal });
  const hasOther = found.length > mostParts + 1;
  const kept = found.slice(0, hasOther ? mostParts : found.length).map(({ value }) => value);
  const slicing = { by: 'expression', expression, values: kept } as const;
  const units = await measure.units(exposed, signal, slicing);
  const definitions = metrics.map(({ definition }) => definition);
  const numbers = await measure.all(exposed, definitions, { slicing, units, signal });
  const judged = { definition: row.definition, reliable, elapsedMs: exposed.toMs - exposed.fromMs };
  const values: ExperimentDimension['values'] = [];
  for (const value of hasOther ? [...kept, otherSlice] : kept) {
    const compared: Compared[] = [];
    for (const [i, metric] of metrics.entries()) {
      compared.push(compareArms(partOf(metric, numbers[i], exposed.arms, value), judged));
      await setImmediate();
    }
    values.push({
      value: value === '' || value === otherSlice ? null : value,
      is_other: value === otherSlice,
      units: units.slices.reduce((sum, { slice, n }) => sum + (slice === value ? n : 0), 0),
      metrics: judge(compared, judged),
    });
  }
  const note =
    'Exploratory: among many parts some differ by chance. Confirm what you find here with an experiment that is planned for it.';
  return { expression, exploratory: true, note, values };
}

export async function novelty(
  parts: ExploreDependencies,
  row: store.ExperimentRow,
  place: store.ResultPlace,
  ref: string | undefined,
  signal: AbortSignal,
): Promise<ExperimentNovelty> {
  const { gateway } = parts;
  const measure = createMeasure(gateway, 'interactive');

  const { exposed, metrics } = await measured(parts, row, place);
  const metric = metrics.find(({ id, key }) => ref === undefined || id === ref || key === ref);
  if (metric === undefined)
    throw fail('EXPERIMENT_INVALID', { reason: `metric: the experiment has no metric "${ref ?? ''}"` });
  const { kind, cap } = metric.definition;
  if (undivided.includes(kind))
    throw fail('EXPERIMENT_INVALID', {
      reason: `metric: ${metric.key} is of the kind ${kind}, which has no value for single days; choose another metric`,
    });
  const slicing = { by: 'day', days: mostDays } as const;
  const units = await measure.units(exposed, signal, slicing);
  const sums = await measure.sums(exposed, metric.definition, { slicing, units, signal });
  const judged = { definition: row.definition, reliable: true, elapsedMs: exposed.toMs - exposed.fromMs };
  const days: ExperimentNovelty['days'] = [];
  const known = [...new Set(units.slices.map(({ slice }) => Number(slice)))].sort((a, b) => a - b);
  for (const day of known) {
    const { arms } = compareArms(partOf(metric, { sums }, exposed.arms, String(day)), judged);
    await setImmediate();
    days.push({
      day,
      variants: arms.map(({ variant, summary: { n, mean }, comparison }) => ({
        variant,
        n,
        mean,
        difference: comparison?.absolute?.difference ?? null,
        interval: comparison?.absolute?.interval ?? null,
      })),
    });
  }
  const note = [
    'Exploratory: each day has the units that have had that whole day since their exposure.',
    ...(cap === null ? [] : ['The cap of the metric is not applied by day.']),
  ].join(' ');
  return { metric: metric.key, exploratory: true, note, days };
}

export async function interactions(
  parts: ExploreDependencies,
  row: store.ExperimentRow,
  place: store.ResultPlace,
  signal: AbortSignal,
): Promise<{ readonly interactions: ExperimentInteraction[]; readonly warnings: string[] }> {
  const { db, gateway } = parts;
  const measure = createMeasure(gateway, 'interactive');

  const { exposed, metrics } = await measured(parts, row, place);
  const goals = metrics.filter(({ role }) => role === 'goal');
  const running = await store.listRunning(db, row.environment_id);
  const others = running.filter(({ id, flag }) => id !== row.id && flag !== row.flag);
  const warnings =
    others.length > mostOthers
      ? [`${others.length} other experiments run; only ${mostOthers} of them were scanned for interactions`]
      : [];
  const found: FoundInteraction[] = [];
  for (const other of others.slice(0, mostOthers)) {
    const both = { ...exposed, fromMs: Math.max(exposed.fromMs, other.started_at?.getTime() ?? 0) };
    if (both.fromMs >= both.toMs) continue;
    const arms = other.definition.variants.map(({ variant }) => variant);
    const slicing = { by: 'flag', flag: other.flag, arms } as const;
    const units = await measure.units(both, signal, slicing);
    const definitions = goals.map(({ definition }) => definition);
    const numbers = await measure.all(both, definitions, { slicing, units, signal });
    for (const [i, goal] of goals.entries()) {
      const { id, key, name, flag } = other;
      found.push(interactionOf({ id, key, name, flag }, goal, numbers[i], row.definition, arms));
      await setImmediate();
    }
  }
  return { interactions: correctInteractions(found, row.definition.analysis.alpha), warnings };
}

/** The units of the last phase: those of several phases have other weights. Throws `EXPERIMENT_STATE` if their telemetry is gone. */
async function measured({ retention, clock }: ExploreDependencies, row: store.ExperimentRow, place: store.ResultPlace) {
  const kept = await retention.of(row.project_id);
  const { exposed, phases, metrics } = measuredOf(row, place, clock.now(), kept);
  const since = phases.length < 2 ? 0 : Date.parse(phases.at(-1)?.from ?? '');
  const countedFromMs = Math.max(exposed.countedFromMs ?? exposed.fromMs, since);
  if (countedFromMs >= exposed.toMs)
    throw fail('EXPERIMENT_STATE', {
      state: row.state,
      advice: 'its telemetry has expired, so only its kept results can be read',
    });
  return { exposed: countedFromMs > exposed.fromMs ? { ...exposed, countedFromMs } : exposed, metrics };
}

function partOf(
  metric: ExperimentMetric,
  measured: Measurement | undefined,
  arms: readonly string[],
  slice: string,
): Measured {
  if (measured === undefined || 'error' in measured) return toMeasured(metric, measured);
  return { metric, sums: armsOfSlice(measured.sums, arms, slice) };
}
