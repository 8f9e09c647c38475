import { type MetricDefinition, rolloutRoutes } from '@fanion/contract';
import type { EnvironmentRef } from '../../../http/caller.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { parseWindow, type Window } from '../../../platform/time-window.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { type FlagRow, findFlag, listHistory, type Place, presentHistory, servedNow } from '../../flags/flags/index.ts';
import { requireReadable } from '../../identity/access/index.ts';
import { type ArmSums, armValue, builtInMetric, createMeasure, findKnownMetric, ratioOf } from '../metrics/index.ts';
import { intendedOf, noteOf, stepOf } from './rules.ts';
import * as store from './store.ts';

/** What a flag serves, to whom, and what their requests are like. */
export const rolloutFeature = {
  name: 'judging/rollout',
  routes: handlers,
} satisfies Feature;

export interface RolloutDependencies extends FeatureDependencies {
  readonly gateway: Gateway;
}

const maxChanges = 200;

function handlers(dependencies: RolloutDependencies): MountedRoute[] {
  const { access, db, clock } = dependencies;
  return implement(rolloutRoutes, {
    async getRollout({ workspace, project, environment, caller, params, query, signal }) {
      const ids = { workspace: workspace.id, project: project.id, environment: environment.key };
      await requireReadable(access, caller, ids);
      const flag = await findFlag(db, project.id, params.key);
      if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key: params.key });
      const window = parseWindow(query, clock.now());
      return readRollout(dependencies, { workspace, project }, environment, flag, {
        window,
        metric: query.metric,
        signal,
      });
    },
  });
}

async function readRollout(
  { db, gateway }: RolloutDependencies,
  { workspace, project }: Place,
  environment: EnvironmentRef,
  flag: FlagRow,
  { window, metric: ref, signal }: { window: Window; metric: string | undefined; signal: AbortSignal },
) {
  const scope = { workspace: workspace.number, project: project.number, environment: environment.key };
  const seen: store.Seen = { scope, flag: flag.key, window, signal };
  const [fromMs, toMs] = [Number(window.fromNs / 1_000_000n), Number(window.toNs / 1_000_000n)];
  const stepMs = stepOf(toMs - fromMs);
  const metric = ref === undefined ? undefined : await findKnownMetric(db, project.id, ref);
  if (ref !== undefined && metric === undefined) throw fail('NOT_FOUND', { resource: 'metric' });
  const served = await servedNow(db, project.id, { flag: flag.key, environmentId: environment.id });
  const intended = intendedOf(served.fallthrough, served.audience);
  const arms = flag.variants.map(({ key }) => key);
  const [series, versions, units, requests, sums, changes] = await Promise.all([
    store.countEvaluations(gateway, seen, stepMs),
    store.listVersions(gateway, seen),
    store.countUnits(gateway, seen, { stepMs, version: String(served.version) }),
    store.measureRequests(gateway, seen, builtInMetric('error_rate')?.definition.source ?? 'spans'),
    metric &&
      createMeasure(gateway, 'interactive').sums(
        { scope, flag: flag.key, arms, fromMs, toMs, untracked: true },
        metric.definition,
        { signal },
      ),
    changesIn(db, flag.id, environment.id, fromMs, toMs),
  ]);
  const evaluations = series.reduce((sum, { n }) => sum + n, 0);
  const allUnits = units.units;
  const intendedShare = (variant: string) => (served.enabled ? (intended.shares[variant] ?? 0) : null);
  const variants = variantsOf(arms, { series, units, requests, sums }, intendedShare, metric?.definition);
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    flag: flag.key,
    environment: environment.key,
    from: time(fromMs),
    to: time(toMs),
    evaluations,
    units: allUnits,
    crossed_units: units.crossed,
    crossed_examples: units.crossedUnits,
    sample_ratio:
      intended.tracked === undefined ? null : ratioOf(units.tracked.arms, intended.tracked, units.tracked.crossed),
    variants,
    reasons: summed(series, ({ reason }) => reason).map(([reason, n]) => ({ reason, evaluations: n })),
    versions: versions.map(({ version, n, first, last }) => ({
      version,
      evaluations: n,
      first_at: time(first),
      last_at: time(last),
    })),
    step_seconds: stepMs / 1_000,
    series: series.map(({ time: at, n, ...by }) => ({ time: time(at), ...by, evaluations: n })),
    unit_series: units.byFirst.map(({ time: at, variant, units: n }) => ({ time: time(at), variant, units: n })),
    ...changes,
    note: noteOf({ evaluations, units: allUnits }),
  };
}

interface Counted {
  readonly series: readonly store.Evaluations[];
  readonly units: store.UnitCounts;
  readonly requests: readonly store.RequestNumbers[];
  readonly sums: readonly ArmSums[] | undefined;
}

/** The variants that the flag has, and those that were seen. */
function variantsOf(
  arms: readonly string[],
  { series, units: { units, byVariant }, requests, sums }: Counted,
  intendedShare: (variant: string) => number | null,
  metric: MetricDefinition | undefined,
) {
  const names = new Set([
    ...arms,
    ...series.map(({ variant }) => variant).filter((variant) => variant !== ''),
    ...byVariant.map(({ variant }) => variant),
  ]);
  return [...names].map((variant) => {
    const count = byVariant.find((one) => one.variant === variant)?.units ?? 0;
    const asked = requests.find((one) => one.variant === variant);
    const arm = sums?.find((one) => one.variant === variant);
    return {
      variant,
      evaluations: series.filter((one) => one.variant === variant).reduce((sum, { n }) => sum + n, 0),
      units: count,
      share: units === 0 ? null : count / units,
      intended: intendedShare(variant),
      requests: asked?.requests ?? 0,
      errors: asked?.errors ?? 0,
      error_rate: asked === undefined || asked.requests === 0 ? null : asked.errors / asked.requests,
      p50_ms: asked?.p50 ?? null,
      p95_ms: asked?.p95 ?? null,
      metric: metric === undefined || arm === undefined ? null : { value: armValue(metric, arm), units: arm.n },
    };
  });
}

function summed(rows: readonly store.Evaluations[], keyOf: (row: store.Evaluations) => string): [string, number][] {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + row.n);
  return [...sums].sort(([, a], [, b]) => b - a);
}

async function changesIn(db: Database, flagId: string, environmentId: string, fromMs: number, toMs: number) {
  const rows = await listHistory(db, flagId, {
    ...{ environmentId, after: undefined, limit: maxChanges + 1 },
    ...{ from: new Date(fromMs), to: new Date(toMs) },
  });
  const changes = rows
    .slice(0, maxChanges)
    .map(presentHistory)
    .map(({ id, at, kind, actor, comment, flag_version }) => ({
      id,
      at,
      kind,
      actor: actor.name,
      comment,
      flag_version,
    }));
  return { changes, changes_truncated: rows.length > maxChanges };
}
