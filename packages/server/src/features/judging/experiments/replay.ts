import type { ExperimentReplay } from '@fanion/contract';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { createMeasure, daysSeen, type Exposed, pastWindow } from '../metrics/index.ts';
import { rolloutOf, seedOf } from './definition-rules.ts';
import { judgeReplay, replayMetric, replayWarnings } from './replay-rules.ts';
import type { ResultDependencies } from './results.ts';
import { frozenMetrics } from './start-change.ts';
import * as store from './store.ts';

const pastDays = 14;
const mostSalts = 20;
/** No further salt is tried after this time. */
const triesMs = 30_000;

const nothing = {
  ok: true,
  reason: `No unit saw the control in the last ${pastDays} days, so nothing could be replayed.`,
};

/** A/A replays of drafts: past units, divided by the salt that the experiment will have. */
export function createReplay({ db, clock, gateway, retention }: ResultDependencies) {
  const measure = createMeasure(gateway, 'interactive');

  async function replayed(row: store.ExperimentRow, place: store.ResultPlace, salt: number, signal: AbortSignal) {
    const { definition } = row;
    const past = pastWindow(pastDays, clock.now(), await retention.of(row.project_id));
    const { weights } = rolloutOf(definition, '');
    const parts = weights.map(({ variant, weight, untracked }) => ({ arm: untracked === true ? '' : variant, weight }));
    const exposed: Exposed = {
      scope: { ...place, environment: row.environment },
      flag: row.flag,
      arms: definition.variants.map(({ variant }) => variant),
      ...past,
      split: { seed: seedOf(definition, { id: row.id, salt }), served: definition.control, parts },
    };
    const units = await measure.units(exposed, signal);
    const all = Object.values(units.arms).reduce((sum, n) => sum + n, 0);
    const days = daysSeen(units.firstMs, past);
    const metrics = await frozenMetrics(db, row.project_id, definition);
    const definitions = metrics.map((metric) => metric.definition);
    const measured = await measure.all(exposed, definitions, { units, signal });
    const judged = metrics.map((metric, i) => replayMetric(metric, measured[i], definition));
    return {
      computed_at: dateOf(clock).toISOString(),
      from: new Date(past.fromMs).toISOString(),
      to: new Date(past.toMs).toISOString(),
      days,
      ...(all === 0 ? nothing : judgeReplay(units.arms, definition, judged)),
      units: { ...units.arms },
      daily: Math.round(all / days),
      warnings: replayWarnings(definition),
      metrics: judged,
    };
  }

  /** Keeps the replay. With `reseed` the first salt that is not unlucky becomes that of the experiment. */
  return async (
    row: store.ExperimentRow,
    place: store.ResultPlace,
    { reseed, signal }: { readonly reseed: boolean; readonly signal: AbortSignal },
  ): Promise<void> => {
    if (row.state !== 'draft')
      throw fail('EXPERIMENT_STATE', { state: row.state, advice: 'only a draft can be replayed' });
    if (reseed && row.definition.layer !== null)
      throw fail('EXPERIMENT_INVALID', {
        reason: 'reseed: experiments of a layer share its salt; choose another slice of it',
      });
    const began = clock.now();
    let salt = reseed ? row.salt + 1 : row.salt;
    let found: Omit<ExperimentReplay, 'tried'> = await replayed(row, place, salt, signal);
    let tried = 1;
    while (reseed && !found.ok && tried < mostSalts && clock.now() - began < triesMs) {
      salt++;
      tried++;
      found = await replayed(row, place, salt, signal);
    }
    await store.saveReplay(db, row, { salt, replay: { ...found, tried } });
  };
}
