import type { MessagePort } from 'node:worker_threads';
import type { RecentQuestion } from '@fanion/oql/recent';
import type { WatchedRows } from '@fanion/telemetry';
import type { HiddenPlace } from '../scoped-telemetry.ts';
import type { Place } from './keeping-rules.ts';

/** A question to the thread. */
export interface RecentJob {
  readonly workspace: number;
  readonly question: RecentQuestion;
  /** Most rows. */
  readonly limit: number;
  /** Removed places of the workspace. */
  readonly hidden: readonly HiddenPlace[];
}

/** An answer, and how many points were read for it in how many seconds. */
export interface RecentRows {
  /** The rows as a JSON array of arrays, in the form in which the engine sends them: reading it takes less than a structured clone. */
  readonly text: string;
  readonly points: number;
  readonly seconds: number;
}

/** What the thread is sent. */
export type ToRecent =
  /** Rows of watched metrics come from there from now on. */
  | { readonly do: 'feed'; readonly port: MessagePort }
  /** Begins with a metric; what was kept of it is dropped. The thread reports when it has begun. */
  | { readonly do: 'begin'; readonly id: number; readonly place: Place; readonly fromMs: number }
  /** Rows that were read from the store, in pieces of any length. */
  | { readonly do: 'series' | 'points'; readonly place: Place; readonly bytes: Uint8Array<ArrayBuffer> }
  /** All rows were sent. The thread reports whether they make a whole. */
  | { readonly do: 'finish'; readonly id: number; readonly place: Place }
  | { readonly do: 'drop'; readonly place: Place }
  | { readonly do: 'trim'; readonly place: Place; readonly fromMs: number }
  /** A place was removed: its points are dropped. */
  | { readonly do: 'remove'; readonly workspace: number; readonly hidden: HiddenPlace }
  | { readonly do: 'answer'; readonly id: number; readonly job: RecentJob };

/** What the thread sends. */
export type FromRecent =
  | { readonly id: number; readonly begun: true }
  | { readonly id: number; readonly isWhole: boolean }
  /** Undefined: the engine has to be asked. */
  | { readonly id: number; readonly answer: RecentRows | undefined }
  | { readonly resized: readonly (Place & { readonly bytes: number })[] }
  /** Not all rows of the metric are here any longer; it was dropped. */
  | { readonly lost: Place };

/** What the ingest worker sends to the thread, before the insert of the rows begins. */
export type FromFeed =
  | ({ readonly rows: 'series' | 'points' } & WatchedRows)
  /** Rows that were sent are not stored. */
  | { readonly rejected: Place }
  /** Rows of a block could not be found. */
  | { readonly failed: string };
