import type { Prepared, Signal, Source } from '@fanion/telemetry';
import type { BodyBudget } from './limits/body-budget.ts';
import type { IngestLimits } from './limits/ingest-limits.ts';
import type { Authenticate, IngestPrincipal } from './principal.ts';
import type { Refused } from './refusal.ts';

export interface IngestRequest extends Source {
  principal: IngestPrincipal;
}

export interface IngestAnswer {
  accepted: number;
  rejected: number;
  /** Why items were rejected; empty when all were accepted. */
  message: string;
  /** For protocols whose response reports more than a number. */
  written?: Prepared['written'];
}

/** What an ingest protocol needs to receive requests: the sender, the limits, and where the body goes. */
export interface Receiver {
  /** As {@link Ingest.append}. */
  append(request: IngestRequest): Promise<IngestAnswer>;
  /**
   * Called before the body of a request is read.
   * @throws {Refused} 429 while the project has sent more than it may.
   */
  admit(principal: IngestPrincipal): void;
  readonly authenticate: Authenticate;
  readonly limits: Pick<IngestLimits, 'compressedBytes' | 'inflatedBytes'>;
  readonly bodies: BodyBudget;
  /** Counts a request that was rejected outright, for the people of its project. */
  refused(principal: IngestPrincipal, signal: Signal, refusal: Refused): void;
}
