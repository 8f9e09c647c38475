import { setTimeout as delay } from 'node:timers/promises';
import type { ControlConnection, ControlStore, TelemetryStore } from '@fanion/embedded';
import { z } from 'zod';
import type { Ingest } from '../features/telemetry/ingest/index.ts';
import type { Log } from '../platform/log.ts';
import { messageOf } from '../platform/message-of.ts';
import type { OperatorCommand } from '../platform/operator/index.ts';
import type { Database } from '../platform/postgres/database.ts';
import { writeMoved } from '../store-copy/moved.ts';
import { recordMove } from './audit.ts';
import { MoveEntry } from './audit-rules.ts';

/** The longest time in which telemetry waits in the log for the end of a move. Then writes go on, and the move fails. */
const HOLD_MS = 600_000;
/** What has to be left of it for the switch, after which nothing may be written. */
const SWITCH_MS = 60_000;

/** What a server says about the stores that can be moved away from it. */
export interface MoveSource {
  readonly version: string;
  readonly control: ControlConnection | undefined;
  readonly telemetry: { readonly url: string } | undefined;
}

export interface SwitchOptions {
  /** A segment that is stored in part would be stored again as a whole in the new store, which does not know its tokens. */
  readonly ingest: Pick<Ingest, 'pause' | 'resume'>;
  readonly embedded: { readonly control: ControlStore | undefined; readonly telemetry: TelemetryStore | undefined };
  /** The control plane that the server uses, embedded or not. */
  readonly db: Database;
  readonly dataDir: string;
  readonly version: string;
  readonly log: Log;
  /** Finishes accepted requests and ends the process, without writing to a store. */
  leave(): Promise<void>;
}

const Commit = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  stores: z.array(z.enum(['control', 'telemetry'])),
  /** Absent if the control plane is moved: then it is in the target already, and the source is locked. */
  entry: MoveEntry.optional(),
});

interface Hold {
  /** Nothing was written since it began, and nothing will be for a while. */
  isWhole: () => boolean;
  isHeld: boolean;
  committed: boolean;
}

/**
 * The server's part in a move, at the operator's socket: where its stores are, a time in which it writes nothing to them, and its end.
 * `fanion move` does the rest in its own process.
 */
export function moveCommands(options: SwitchOptions): Readonly<Record<string, OperatorCommand>> {
  const { embedded, log } = options;
  let hold: Hold | undefined;

  return {
    async 'move-source'(): Promise<MoveSource> {
      const telemetry = embedded.telemetry && { url: embedded.telemetry.url };
      return { version: options.version, control: embedded.control?.connection, telemetry };
    },
    async 'move-hold'(_given, { progress, signal }) {
      if (hold !== undefined) throw new Error('another move holds this server');
      const begun: Hold = { isHeld: false, isWhole: () => false, committed: false };
      hold = begun;
      try {
        await Promise.race([options.ingest.pause(), untilAborted(signal)]);
        signal.throwIfAborted();
        begun.isWhole = await holdTelemetry(embedded.telemetry);
        begun.isHeld = true;
        progress({ held: true });
        await untilAborted(signal);
      } finally {
        if (!begun.committed) {
          hold = undefined;
          await resumeWrites(options, begun);
        }
      }
      return null;
    },
    async 'move-record'(given) {
      await recordMove(options.db, MoveEntry.parse(given));
      return null;
    },
    async 'move-commit'(given) {
      const { entry, ...moved } = Commit.parse(given);
      const held = hold;
      if (held === undefined) throw new Error('no move holds this server');
      const make = () => {
        if (hold !== held || !held.isWhole())
          throw new Error('the server had to write again before the move was complete; run it again');
        held.committed = true;
        writeMoved(options.dataDir, moved);
        log.warn({ stores: moved.stores }, 'the data was moved: this server ends');
      };
      try {
        if (entry === undefined) make();
        else
          await options.db.transaction().execute(async (trx) => {
            await recordMove(trx, entry);
            make();
          });
      } finally {
        // Even if the entry is lost now: the data is elsewhere.
        if (held.committed) setImmediate(() => void options.leave());
      }
      return null;
    },
  };
}

async function resumeWrites({ embedded, ingest, log }: SwitchOptions, { isHeld }: Hold): Promise<void> {
  if (isHeld)
    await embedded.telemetry?.releaseWrites().catch((error: unknown) => {
      log.warn({ reason: messageOf(error) }, 'the pause for a move was over before its end');
    });
  ingest.resume();
}

/** Holds writes to the telemetry store, if it is embedded. @returns whether it has held them since, and does for long enough */
async function holdTelemetry(telemetry: TelemetryStore | undefined): Promise<() => boolean> {
  if (telemetry === undefined) return () => true;
  const restarts = telemetry.restarts();
  const latest = performance.now() + HOLD_MS - SWITCH_MS;
  await telemetry.holdWrites(HOLD_MS);
  // A store that was started again holds nothing back.
  return () => telemetry.restarts() === restarts && performance.now() < latest;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The longest wait for requests that are in progress when the server ends after a move. */
const LAST_REQUESTS_MS = 5_000;

/** Waits for steps, one after another, for a short time only. */
export async function withinMoment(steps: () => Promise<void>): Promise<void> {
  await Promise.race([steps(), delay(LAST_REQUESTS_MS)]);
}
