import type { StoreName } from '../store-copy/moved.ts';

export interface MoveRequest {
  readonly dataDir: string;
  /** `external`: out of the data directory to these addresses; `embedded`: from them into the data directory. */
  readonly to: 'external' | 'embedded';
  readonly databaseUrl: string | undefined;
  readonly clickhouseUrl: string | undefined;
  /** The PostgreSQL that the server uses and keeps: the audit log of a move of the telemetry alone is there. */
  readonly stayingDatabaseUrl: string | undefined;
  /** Who runs the command, for the audit log. */
  readonly by: string;
  readonly now: () => number;
}

export type MovePhase = 'checking' | 'copying' | 'comparing' | 'pausing' | 'copying accounts and flags' | 'switching';

/** @param rows how many of all rows of telemetry were copied, while it copies them */
export type OnMove = (phase: MovePhase, rows?: { readonly done: number; readonly total: number }) => void;

export interface MoveDone {
  /** `completed`: an earlier call had made the switch already. */
  readonly outcome: 'moved' | 'completed';
  readonly stores: readonly StoreName[];
  readonly telemetryRows: number;
  readonly controlRows: number;
  /** For how long nothing was written to the source. */
  readonly pausedMs: number;
}
