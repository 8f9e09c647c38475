import { createBreath } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { ProjectRetention } from '../../identity/projects/index.ts';
import type { Ingest } from '../../telemetry/ingest/index.ts';
import type { SelfTelemetryCounts } from './counts.ts';
import { type OwnItem, type OwnSignal, requestsOf, type Self } from './otlp.ts';
import { openOwnProject } from './own-project.ts';
import type { OwnProject } from './store.ts';

export interface OwnDoorOptions {
  readonly self: Self;
  /** As configured. */
  readonly projectId: string | undefined;
  readonly ingest: Pick<Ingest, 'append'>;
  readonly retention: Pick<ProjectRetention, 'of'>;
  readonly counts: SelfTelemetryCounts;
  readonly db: Database;
  readonly clock: Clock;
  /** Its lines are not collected. */
  readonly log: Log;
}

/** Stores the server's items as ingest stores those of others. Never rejects: what cannot be stored is counted and dropped. */
export function createOwnDoor(options: OwnDoorOptions) {
  const { self, ingest, retention, counts, log } = options;
  let last: OwnProject | undefined;
  let isFailing = false;

  function failed(error: unknown): void {
    if (!isFailing) log.warn({ err: error }, 'telemetry about this server cannot be stored');
    isFailing = true;
  }

  async function project(): Promise<OwnProject | undefined> {
    try {
      last = await openOwnProject(options);
    } catch (error) {
      // With the control plane down, the project that was last known still gets what happens.
      if (last === undefined) failed(error);
    }
    return last;
  }

  async function storeSignal(to: OwnProject, signal: OwnSignal, items: readonly OwnItem[]): Promise<void> {
    const breath = createBreath();
    for (const { body, count } of requestsOf(signal, items, self)) {
      try {
        const retentionDays = await retention.of(to.projectId);
        const principal = {
          ...to,
          environment: 'production',
          retentionDays,
          tokenId: `self-telemetry ${self.replica}`,
        };
        const { accepted } = await ingest.append({ principal, signal, format: 'json', body });
        counts.stored(signal, accepted);
        counts.dropped(signal, 'failed', count - accepted);
        isFailing = false;
      } catch (error) {
        counts.dropped(signal, 'failed', count);
        failed(error);
      }
      await breath();
    }
  }

  return {
    async store(items: Readonly<Record<OwnSignal, readonly OwnItem[]>>): Promise<void> {
      const to = await project();
      for (const signal of ['metrics', 'traces', 'logs'] as const) {
        if (to !== undefined) await storeSignal(to, signal, items[signal]);
        else
          counts.dropped(
            signal,
            'no_project',
            items[signal].reduce((sum, { count }) => sum + count, 0),
          );
      }
    },
  };
}
