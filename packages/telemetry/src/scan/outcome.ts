import { WireError } from '../wire/reader.ts';
import { type Lateness, latenessStep, noLateness } from './lateness.ts';

/** What the scan of a body found. */
export interface ScanOutcome {
  /** All items of the body, including rejected ones. */
  items: number;
  /** Positions of rejected items, ascending, in wire order. */
  refused: number[];
  /** The number of rejected items by reason. */
  reasons: Map<string, number>;
  /** The time of its earliest item in Unix milliseconds, without those whose time is out of range; Infinity: none. */
  earliest: number;
  /** How late its items were received, without those whose time is out of range. */
  lateness: Lateness;
  /** Whether an item has no time of its own: an equal body that comes later is other data. */
  isUntimed: boolean;
}

/** The limits of a body. */
export interface ScanLimits {
  /** When the body was received, in Unix milliseconds. */
  now: number;
  /** With more items than this, the whole body is rejected (413). */
  maxItems: number;
  /** Unix milliseconds; an item outside is rejected, since no partition could hold it. */
  earliest: number;
  latest: number;
}

/** The body is well-formed and too large. */
export class TooLarge extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TooLarge';
  }
}

/** Nesting of lists in attribute values; the reference implementations stop between 32 and 100. */
export const MAX_VALUE_DEPTH = 64;

/** One resource or scope with more than this is a mistake: it is repeated in every row. */
const MAX_CONTEXT_BYTES = 64 * 1024;
/** Rows repeat the context of their resource, scope and metric; this limits the copies of one body. */
const MAX_EXPANSION_BYTES = 256 * 1024 * 1024;

/** Checks items one after the other and counts them. */
export class Verdict implements ScanOutcome {
  items = 0;
  readonly refused: number[] = [];
  readonly reasons = new Map<string, number>();
  earliest = Number.POSITIVE_INFINITY;
  readonly lateness = noLateness();
  isUntimed = false;
  readonly limits: ScanLimits;
  #expansion = 0;

  constructor(limits: ScanLimits) {
    this.limits = limits;
  }

  /**
   * Counts the next item. `reason`: why it is rejected, or `undefined`; `contextBytes`: size of the context that its
   * row repeats.
   */
  item(reason: string | undefined, contextBytes: number): void {
    if (this.items === this.limits.maxItems)
      throw new TooLarge(`more than ${this.limits.maxItems} items in one request`);
    const why = contextBytes > MAX_CONTEXT_BYTES ? 'resource, scope or metric description over 64 KiB' : reason;
    if (why === undefined) this.expand(contextBytes);
    else {
      this.refused.push(this.items);
      this.reasons.set(why, (this.reasons.get(why) ?? 0) + 1);
    }
    this.items++;
  }

  /** Counts bytes of the body that rows will repeat. */
  expand(bytes: number): void {
    this.#expansion += bytes;
    if (this.#expansion > MAX_EXPANSION_BYTES) {
      throw new TooLarge('the resources of this request, repeated for each of its items, take more than 256 MiB');
    }
  }

  /** The reason to reject an item of this time, or `undefined`. */
  time(millis: number): string | undefined {
    if (millis < this.limits.earliest) return millis === 0 ? 'no time' : 'time is older than the retention';
    if (millis > this.limits.latest) return 'time is more than a day in the future';
    if (millis < this.earliest) this.earliest = millis;
    const step = latenessStep(this.limits.now - millis);
    this.lateness[step] = (this.lateness[step] ?? 0) + 1;
    return undefined;
  }
}

export function tooDeep(): WireError {
  return new WireError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`);
}
