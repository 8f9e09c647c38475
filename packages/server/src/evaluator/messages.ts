import type { ErrorName } from '@fanion/contract';
import type { Flag, Segment } from '@fanion/flag-engine';
import type { EvaluationsEntry, ExposureStats } from '../features/flags/exposures/index.ts';
import type { AccessChange } from '../features/identity/access/index.ts';
import type { Credentials, SdkCaller } from '../http/caller.ts';
import type { StopSignal } from '../stores.ts';

/** What the evaluator asks the server; each gets one reply. */
export type Question =
  | { readonly about: 'caller'; readonly credentials: Credentials }
  /** Sends the ruleset, and from then on its changes. */
  | { readonly about: 'ruleset'; readonly environmentId: string }
  /** Looks for a newer version; the reply follows the change. */
  | { readonly about: 'refresh'; readonly environmentId: string }
  /** Writes what was counted to the write-ahead log. */
  | { readonly about: 'evaluations'; readonly projectId: string; readonly entry: EvaluationsEntry };

export interface EvaluatorCounts {
  /** Answers by route and status since the last such message. */
  readonly answered: readonly (readonly [route: string, status: number, times: number])[];
  readonly exposures: ExposureStats;
  /** How often the server was started again. */
  readonly restarts: number;
}

export type ToServer =
  /** With the socket: a connection that is not for the evaluator. */
  | { readonly kind: 'connection'; readonly bytes: Buffer }
  | { readonly kind: 'question'; readonly id: number; readonly question: Question }
  | { readonly kind: 'counts'; readonly counts: EvaluatorCounts }
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'not-listening'; readonly code: string; readonly message: string }
  | { readonly kind: 'left' }
  | { readonly kind: 'stop'; readonly signal: StopSignal };

export interface FailureMessage {
  readonly error: ErrorName;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly retryAfterSeconds: number | undefined;
}

/** A ruleset or a change of one, in parts that are quick to read. */
export type RulesetPart =
  | {
      readonly part: 'begin';
      /** The version that the change is for; undefined: a whole ruleset. */
      readonly from: number | undefined;
      readonly version: number;
      readonly environment: string;
      readonly project: string;
      readonly flags: Readonly<Record<string, Flag | null>>;
      /** Lists of large segments follow in parts. */
      readonly segments: Readonly<Record<string, Segment | null>>;
    }
  | { readonly part: 'keys'; readonly segment: string; readonly list: 'included' | 'excluded'; readonly keys: string[] }
  | { readonly part: 'end' };

export type ToEvaluator = Reply | Notice;

export type Reply =
  | { readonly kind: 'reply'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: FailureMessage | undefined };

export type Notice =
  /** The server is ready. */
  | { readonly kind: 'listen' }
  | { readonly kind: 'ruleset'; readonly environmentId: string; readonly part: RulesetPart }
  /** A key that the server has confirmed for a request of its own. */
  | { readonly kind: 'key'; readonly credentials: Credentials; readonly caller: SdkCaller }
  | { readonly kind: 'dropped'; readonly environmentId: string }
  | { readonly kind: 'access-changed'; readonly change: AccessChange }
  /** The server stops: send what was counted, and no more connections. */
  | { readonly kind: 'leave' };
