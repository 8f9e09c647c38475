import type { ControlStore, FrozenTelemetry, TelemetryStore } from '@fanion/embedded';
import type { Ingest } from '../features/telemetry/ingest/index.ts';
import type { FrozenLog } from '../platform/wal/index.ts';

/** A server's stores and log as they were at one moment. Its files share their space with the stores'. */
export interface Snapshot {
  /** Everything that was acknowledged before is in it; milliseconds since the epoch. */
  readonly takenAt: number;
  /** For how long telemetry waited in the log. */
  readonly pausedMs: number;
  readonly telemetry: FrozenTelemetry;
  readonly log: FrozenLog;
  /** A tar file of the database. */
  readonly control: string;
  readonly workspaces: number;
}

export interface Snapshotted {
  readonly telemetry: TelemetryStore;
  readonly control: ControlStore;
  readonly log: Ingest['log'];
  countWorkspaces(): Promise<number>;
  now(): number;
}

/**
 * Takes a snapshot while ingest goes on into the log. No write reaches the telemetry store meanwhile, for `pauseMs` at most:
 * 1. the log, cut at this moment; what was stored before is in the tables, all else in the log;
 * 2. the tables;
 * 3. the control plane, last: it knows every project whose telemetry is in the two others, and since jobs write telemetry first and
 *    note it afterwards, it notes nothing that the tables lack.
 * @throws Error if the pause was not long enough; then nothing is left of the snapshot, and writes go on
 */
export async function takeSnapshot(parts: Snapshotted, name: string, pauseMs: number): Promise<Snapshot> {
  const { telemetry } = parts;
  const workspaces = await parts.countWorkspaces();
  try {
    const began = performance.now();
    await telemetry.holdWrites(pauseMs);
    const takenAt = parts.now();
    const frozen = await freezeAll(parts, name, pauseMs).catch(async (error: unknown) => {
      await telemetry.releaseWrites().catch(() => {
        // The first error is the reason; writes go on in any case.
      });
      throw error;
    });
    await telemetry.releaseWrites();
    const pausedMs = performance.now() - began;
    return { takenAt, pausedMs, workspaces, ...frozen, telemetry: await telemetry.gatherFrozen(name) };
  } catch (error) {
    await removeSnapshot(parts, name);
    throw error;
  }
}

async function freezeAll({ telemetry, control, log }: Snapshotted, name: string, withinMs: number) {
  const latest = performance.now() + withinMs;
  const frozenLog = await log.freeze(name);
  await telemetry.freeze(name);
  return { log: frozenLog, control: await control.freeze(name, Math.max(0, latest - performance.now())) };
}

/** Removes what a snapshot left. A store that is being restarted does it at its start. */
export async function removeSnapshot({ telemetry, control, log }: Snapshotted, name: string): Promise<void> {
  await Promise.allSettled([telemetry.removeFrozen(name), control.removeFrozen(name), log.removeFrozen(name)]);
}
