import { setTimeout as delay } from 'node:timers/promises';
import { recordLeftRestored } from './backup/restored.ts';
import { openBackups } from './compose/backups.ts';
import { buildListeners } from './compose/listeners.ts';
import { openOperator } from './compose/operator.ts';
import { buildParts } from './compose/parts.ts';
import { openPlatform } from './compose/platform.ts';
import { createStops } from './compose/stops.ts';
import type { Config } from './config.ts';
import { features } from './features.ts';
import { idempotencyJob } from './http/idempotency.ts';
import { withinMoment } from './move/switch.ts';
import type { Clock } from './platform/clock.ts';
import { JobRunner } from './platform/jobs/index.ts';
import type { Log } from './platform/log.ts';
import type { LogLines } from './platform/log-lines.ts';
import { listenForOutbox, outboxPruneJob } from './platform/outbox/index.ts';
import type { Stores } from './stores.ts';

export interface App {
  /** The URL it listens on; available after `listen`. */
  readonly url: string;
  listen(): Promise<void>;
  /**
   * Is not ready from now on and ends each connection after its next answer, while all requests are answered as before. Resolves
   * after this time, in which load balancers find other servers.
   */
  drain(ms: number): Promise<void>;
  /** Finishes accepted requests, flushes, and stops the stores last. */
  stop(): Promise<void>;
}

export interface ComposeOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Started or starting. */
  readonly stores: Promise<Stores>;
  /** The built web application; undefined: none is served. */
  readonly webDirectory: string | undefined;
  /** The process that owns the port and evaluates flags; undefined: this one. */
  readonly evaluator?: NodeJS.Process | undefined;
  /** The lines of `log`, for self-telemetry; undefined: it has none. */
  readonly logLines?: LogLines | undefined;
}

/**
 * Builds the whole server from a configuration, from the stores up to the listeners; only this file and the folder
 * `compose` construct things. Stopping runs in reverse order. `features.ts` lists the features.
 */
export async function compose(
  config: Config,
  { log, clock, webDirectory, stores: opening, evaluator, logLines }: ComposeOptions,
): Promise<App> {
  const platformStops = createStops();
  const partStops = createStops();
  const listenerStops = createStops();
  const stop = async () => {
    await listenerStops.run();
    await partStops.run();
    await platformStops.run();
  };
  try {
    const platform = await openPlatform({ config, log, clock, stores: await opening }, platformStops);
    const built = await buildParts(platform, { config, log, clock }, partStops);
    const { parts } = built;
    const backups = openBackups(platform, built, { config, log, clock }, partStops);
    // After a move, nothing may be written to the stores: what is in the log stays there.
    const leave = async () => {
      await withinMoment(async () => {
        await listenerStops.run();
        await built.parts.exposures.stop();
      });
      process.exit(0);
    };
    const operated = { stores: platform.stores, db: platform.db, backups, ingest: built.ingest };
    await openOperator(operated, { config, log, leave }, partStops);
    const listeners = await buildListeners(platform, built, { webDirectory, evaluator, logLines }, listenerStops);

    const { db, outbox, database, stores, controlPlane, clockGuard, replica } = platform;
    for (const feature of features)
      for (const subscriber of feature.subscriptions?.(parts) ?? []) outbox.subscribe(subscriber);
    const kinds = config.roles.has('jobs')
      ? [outboxPruneJob, idempotencyJob(db), ...features.flatMap((feature) => feature.jobs?.(parts) ?? [])]
      : [];
    const jobs = new JobRunner({
      ...{ db, clock, log, holder: replica, kinds, metrics: parts.ownMetrics },
      isClockTrusted: () => clockGuard.isTrusted(),
    });

    return {
      get url() {
        return listeners.url();
      },
      async listen() {
        await controlPlane.follow(async () => {
          await recordLeftRestored(config.dataDir, { db, log });
          await outbox.start();
          // Credentials may have been revoked before the outbox started.
          parts.access.forget();
          partStops.add(() => outbox.stop());
          if (stores.controlStore === 'external')
            partStops.add(listenForOutbox(database.pool, () => outbox.wake(), log));
          await jobs.start();
          partStops.add(() => jobs.stop());
          if (config.roles.has('jobs'))
            for (const { start } of features) {
              const started = start?.(parts);
              if (started !== undefined) partStops.add(() => started.stop());
            }
        });
        await listeners.listen();
        log.info({ url: listeners.url() }, 'ready');
      },
      async drain(ms) {
        if (ms === 0) return;
        log.info({ seconds: ms / 1_000 }, 'draining: /readyz answers 503, other requests are answered as before');
        listeners.drain();
        await delay(ms);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
