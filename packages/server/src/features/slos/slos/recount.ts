import type { Config } from '../../../config.ts';
import type { JobKind, JobRun } from '../../../platform/jobs/index.ts';
import type { ProjectRetention } from '../../identity/projects/index.ts';
import { ceilTo, floorTo, insertMinutes, listMinutes, type Range } from '../budget/index.ts';
import { isPassing } from '../failures.ts';
import { countIndicator } from './counts-store.ts';
import { countedSlo, type DeriveDependencies, scopeOfSlo } from './derive.ts';
import { changedMinutes, lateMs, stepOf } from './indicator-rules.ts';
import { backOf, byDay, grownMinutes, nextDue, recountEveryMs } from './late-rules.ts';
import { listEverySlo, type SloRow } from './store.ts';

const batchSize = 32;
const dayMs = 86_400_000;

export interface RecountDependencies extends DeriveDependencies {
  readonly retention: Pick<ProjectRetention, 'of'>;
  readonly config: { readonly slos: Config['slos'] };
}

/** Counts minutes again that are over for long, for events that arrived after that. */
export function recountJob(dependencies: RecountDependencies): JobKind {
  return {
    kind: 'slos.recount',
    everyMs: recountEveryMs,
    async run(run) {
      const dueMs = floorTo(run.scheduledFor.getTime(), recountEveryMs);
      await recountLate(dependencies, run, backOf(dueMs, dependencies.config.slos.recountDays));
      await run.finish(undefined, { again: new Date(nextDue(dueMs, run.now())) });
    },
  };
}

/** @param backMs how far back, in milliseconds */
export async function recountLate(dependencies: RecountDependencies, run: JobRun, backMs: number): Promise<void> {
  const { db, log } = dependencies;
  for (let after: string | undefined; ; ) {
    const slos = await listEverySlo(db, after, batchSize);
    for (const slo of slos) {
      try {
        await recountSlo(dependencies, slo, run, backMs);
      } catch (error) {
        run.signal.throwIfAborted();
        if (isPassing(error)) throw error;
        // The job that counts new events reports why; this one continues with the next SLO.
        log.warn({ err: error, slo: slo.id }, 'late events of an SLO could not be counted');
      }
    }
    after = slos.at(-1)?.id;
    if (slos.length < batchSize) return;
  }
}

async function recountSlo(
  dependencies: RecountDependencies,
  slo: SloRow,
  { signal, epoch, now }: JobRun,
  backMs: number,
): Promise<void> {
  const { gateway, clickhouse, retention } = dependencies;
  // A back-fill that is under way counts late events itself.
  if (slo.backfill_error === null && slo.backfill_at > slo.backfill_from) return;
  const { traces, logs, metrics } = await retention.of(slo.project_id);
  const range = lateRange(slo, { nowMs: now(), backMs, keptMs: Math.min(traces, logs, metrics) * dayMs });
  const { indicator } = slo.definition;
  const background = gateway.lane('background');
  const counted = countedSlo(slo);
  for (const day of byDay(range)) {
    const found = await countIndicator(dependencies, scopeOfSlo(slo), indicator, day, { lane: 'background', signal });
    const stored = await listMinutes(background, counted, day, signal);
    const grown = grownMinutes(changedMinutes(found, stored), stored);
    await insertMinutes(
      clickhouse,
      grown.map((minute) => ({ ...minute, slo: counted })),
      epoch,
      signal,
    );
  }
}

/** The time before what is counted every 30 seconds, as far as it has been counted once and telemetry is kept. */
function lateRange(
  { definition: { indicator }, derived_to, backfill_at }: SloRow,
  { nowMs, backMs, keptMs }: { nowMs: number; backMs: number; keptMs: number },
): Range {
  const step = stepOf(indicator);
  const fromMs = Math.max(nowMs - backMs, nowMs - keptMs, backfill_at.getTime());
  return { fromMs: ceilTo(fromMs, step), toMs: floorTo(Math.min(derived_to.getTime(), nowMs) - lateMs, step) };
}
