import type { ExperimentDefinition, ExperimentMetric } from '@fanion/contract';
import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import {
  type ChangeKind,
  differences,
  holdFallthrough,
  listSegmentKeys,
  type Prepared,
  refuse,
  refuseHeld,
  type Subject,
  targetingNow,
  toldServe,
  toServe,
} from '../../flags/flags/index.ts';
import { findKnownMetrics } from '../metrics/index.ts';
import { checkDefinition, type Known, overlaps, rolloutOf, seedOf } from './definition-rules.ts';
import { hasSameVariants, type NextPhase, nextDefinition, phasesOf, reasonOf } from './phase-rules.ts';
import * as store from './store.ts';

export interface StartExperiment {
  readonly experiment: string;
  /** For one that runs already: its next phase. */
  readonly phase?: NextPhase;
}

/** The start of an experiment: its split takes the fallthrough, and what counts is frozen. Or its next phase, with another split. */
export const startChange: ChangeKind<StartExperiment, { readonly id: string }> = {
  kind: 'experiment',
  reach: 'environment',
  async prepare(trx, { projectId }, subject, { experiment: id, phase }) {
    const row = await store.experiments.find(trx, projectId, id);
    if (row === undefined) throw fail('NOT_FOUND', { resource: 'experiment' });
    if (phase !== undefined) return preparePhase(trx, projectId, subject, row, phase);
    if (row.state !== 'draft')
      throw fail('EXPERIMENT_STATE', { state: row.state, advice: 'only a draft can be started' });
    const { definition, replay, version, salt } = row;
    if (replay !== null && replay.version === version && replay.salt === salt && !replay.replay.ok)
      throw fail('EXPERIMENT_STATE', {
        state: 'a draft with an unlucky salt',
        advice: 'replay it with `reseed` to find another one',
      });
    const now = await targetingNow(trx, projectId, subject);
    const { flag, environment, config } = now;
    refuseHeld(now);
    refuse('EXPERIMENT_INVALID', [
      ...checkDefinition(definition, await knownFor(trx, projectId, flag)),
      ...(config.enabled ? [] : [{ path: 'flag', message: `${flag.key} is off here: turn it on first` }]),
      ...(await meetings(trx, row)),
    ]);
    const metrics = await frozenMetrics(trx, projectId, definition);
    const seed = seedOf(definition, row);
    const rollout = rolloutOf(definition, seed);
    return {
      flagId: flag.id,
      segmentId: null,
      environmentId: environment.id,
      resource: { type: 'experiment', id: row.id, name: row.key },
      version: now.version,
      affects: [environment],
      before: { state: row.state },
      after: { state: 'running', flag: flag.key, ...definition },
      diff: differences(
        { fallthrough: toldServe(toServe(config.fallthrough)), experiment: null },
        { fallthrough: toldServe({ rollout }), experiment: row.key, ...audienceOf(definition) },
      ),
      rulesets: [environment.id],
      async write(authorship) {
        await holdFallthrough(
          trx,
          now,
          { kind: 'experiment', id: row.id, rollout, clauses: definition.audience },
          authorship,
        );
        const started = { state: 'running', started_at: authorship.now, frozen: { seed, metrics } } as const;
        await store.experiments.update(trx, row.id, started, { by: authorship.userId, now: authorship.now });
        return { id: row.id };
      },
    };
  },
};

async function preparePhase(
  trx: Executor,
  projectId: string,
  subject: Subject,
  row: store.ExperimentRow,
  phase: NextPhase,
): Promise<Prepared<{ readonly id: string }>> {
  if (row.state !== 'running' || row.frozen === null)
    throw fail('EXPERIMENT_STATE', { state: row.state, advice: 'only a running experiment begins a phase' });
  const now = await targetingNow(trx, projectId, subject);
  const { flag, environment, hold } = now;
  refuseHeld(now, row.id);
  if (!hasSameVariants(row.definition, phase))
    refuse('EXPERIMENT_INVALID', [
      { path: 'variants', message: 'a phase has the same variants: name each of them once' },
    ]);
  const definition = nextDefinition(row.definition, phase);
  if (definition === undefined)
    throw fail('EXPERIMENT_INVALID', { reason: 'variants: nothing changes, so give other weights or another share' });
  refuse('EXPERIMENT_INVALID', [
    ...checkDefinition(definition, await knownFor(trx, projectId, flag)),
    ...(await meetings(trx, { ...row, definition })),
  ]);
  const rollout = rolloutOf(definition, row.frozen.seed);
  const reason = reasonOf(row.definition, definition);
  return {
    flagId: flag.id,
    segmentId: null,
    environmentId: environment.id,
    resource: { type: 'experiment', id: row.id, name: row.key },
    version: now.version,
    affects: [environment],
    before: row.definition,
    after: definition,
    diff: differences(
      { fallthrough: hold === undefined ? null : toldServe({ rollout: hold.rollout }), ...audienceOf(row.definition) },
      { fallthrough: toldServe({ rollout }), ...audienceOf(definition) },
    ),
    rulesets: [environment.id],
    async write(authorship) {
      await holdFallthrough(
        trx,
        now,
        { kind: 'experiment', id: row.id, rollout, clauses: definition.audience },
        authorship,
      );
      const { variants, traffic, audience } = definition;
      const next = { from: authorship.now.toISOString(), variants, share: traffic.share, audience, reason };
      const begun = { definition, phases: [...phasesOf(row), next] };
      await store.experiments.update(trx, row.id, begun, { by: authorship.userId, now: authorship.now });
      return { id: row.id };
    },
  };
}

/** For the difference that people read: only where not everybody takes part. */
function audienceOf({ audience }: ExperimentDefinition) {
  return audience.length === 0 ? {} : { audience };
}

/** What a definition for a flag may name. */
export async function knownFor(
  db: Executor,
  projectId: string,
  { variants }: { readonly variants: readonly { readonly key: string }[] },
): Promise<Known> {
  return { variants: variants.map(({ key }) => key), segments: await listSegmentKeys(db, projectId) };
}

/** Running experiments of the same layer that would meet this one in a unit. */
async function meetings(trx: Executor, row: store.ExperimentRow) {
  const others = await store.listRunning(trx, row.environment_id);
  return others
    .filter((other) => other.id !== row.id && overlaps(row.definition, other.definition))
    .map(({ key }) => ({
      path: 'traffic',
      message: `its slice of the layer overlaps with the running experiment ${key}`,
    }));
}

/** The metrics as they are now. Throws `EXPERIMENT_INVALID` if one does not exist. */
export async function frozenMetrics(
  db: Executor,
  projectId: string,
  { metrics: { goals, secondary, guardrails } }: Pick<ExperimentDefinition, 'metrics'>,
): Promise<ExperimentMetric[]> {
  const named = [
    ...goals.map((ref) => ({ ref, role: 'goal' as const, path: 'metrics.goals' })),
    ...secondary.map((ref) => ({ ref, role: 'secondary' as const, path: 'metrics.secondary' })),
    ...guardrails.map((ref) => ({ ref, role: 'guardrail' as const, path: 'metrics.guardrails' })),
  ];
  const known = await findKnownMetrics(
    db,
    projectId,
    named.map(({ ref }) => ref),
  );
  const found: ExperimentMetric[] = [];
  for (const { ref, role, path } of named) {
    const metric = known.get(ref);
    if (metric === undefined) refuse('EXPERIMENT_INVALID', [{ path, message: `the project has no metric "${ref}"` }]);
    else found.push({ id: metric.id, key: metric.key, name: metric.name, role, definition: metric.definition });
  }
  return found;
}
