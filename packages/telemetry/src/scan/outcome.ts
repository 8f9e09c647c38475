import { WireError } from '../wire/reader.ts';

/** What the scan of a body found. */
export interface ScanOutcome {
  /** All items of the body, refused ones included. */
  items: number;
  /** Positions of refused items, ascending, in wire order. */
  refused: number[];
  /** Why, and how many for that reason. */
  reasons: Map<string, number>;
}

/** What a body is judged by. */
export interface ScanLimits {
  /** More items than this: the whole body is refused (413). */
  maxItems: number;
  /** Unix milliseconds; an item outside is refused, since no partition could keep it. */
  earliest: number;
  latest: number;
}

/** The body is well-formed and too much. */
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
/** Rows repeat the context of their resource, scope and metric; the copies of one body may take this much. */
const MAX_EXPANSION_BYTES = 256 * 1024 * 1024;

/** Judges items one after the other, and keeps count. */
export class Verdict implements ScanOutcome {
  items = 0;
  readonly refused: number[] = [];
  readonly reasons = new Map<string, number>();
  readonly limits: ScanLimits;
  #expansion = 0;

  constructor(limits: ScanLimits) {
    this.limits = limits;
  }

  /** Takes the next item. `reason`: why it is refused, or `undefined`; `contextBytes`: what its row repeats. */
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

  /** Takes note of bytes of the body that rows will repeat. */
  expand(bytes: number): void {
    this.#expansion += bytes;
    if (this.#expansion > MAX_EXPANSION_BYTES) {
      throw new TooLarge('the resources of this request, repeated for each of its items, take more than 256 MiB');
    }
  }

  /** The reason to refuse an item of this time, or `undefined`. */
  time(millis: number): string | undefined {
    if (millis < this.limits.earliest) return millis === 0 ? 'no time' : 'time is older than the retention';
    return millis > this.limits.latest ? 'time is more than a day in the future' : undefined;
  }
}

export function tooDeep(): WireError {
  return new WireError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`);
}
