import { type Arrivals, automaticOffsetMs } from '../../../platform/arrivals/index.ts';
import { durationMs } from '../../../platform/durations.ts';
import { latestSlot } from './slot-rules.ts';
import type { Tracked } from './tracked.ts';

/** The slot of an evaluation that begins now. */
export interface Moment {
  readonly slot: number;
  /** The time that it asks for: the slot, less the offset. */
  readonly at: number;
  /** When telemetry of that time has been received. */
  readonly receivedBy: number;
}

/**
 * How long an evaluation waits for rows that are still in a log. It ends so long before the next slot that this one is not missed, unless the
 * interval is shorter than the shortest wait.
 */
const longestWaitMs = 60_000;
const shortestWaitMs = 8_000;
const beforeNextSlotMs = 2_000;

export interface Moments {
  /**
   * The latest slot that is due and for whose time all rows are stored. If there is none: undefined while a running server may still
   * store them, and the latest slot after that.
   */
  ofDue(rule: Tracked, now: number): Moment | undefined;
  /** Whether rows of a moment that were acknowledged may be missing in the store. */
  mayMissRows(rule: Tracked, moment: Moment): boolean;
}

export function createMoments(arrivals: Pick<Arrivals, 'lateMs' | 'storedTo'>): Moments {
  function momentOf({ row, slots, reads: { signals } }: Tracked, slot: number): Moment {
    const { offset } = row.definition;
    const lateMs = arrivals.lateMs(row.project_number, signals);
    const at = slot - (offset === null ? automaticOffsetMs(lateMs, slots.everyMs) : durationMs(offset));
    return { slot, at, receivedBy: Math.min(slot, at + lateMs) };
  }

  function storedTo({ row, reads: { signals } }: Tracked) {
    return arrivals.storedTo({ workspace: row.workspace_number, project: row.project_number }, signals);
  }

  return {
    ofDue(rule, now) {
      const { slots, row } = rule;
      if (rule.attempts > 0) return momentOf(rule, rule.slot);
      const latest = momentOf(rule, latestSlot(slots, now));
      if (row.definition.burn !== undefined) return latest;
      const storedMs = storedTo(rule).running;
      if (latest.receivedBy <= storedMs) return latest;
      const complete = momentOf(rule, latestSlot(slots, storedMs + latest.slot - latest.receivedBy));
      if (complete.slot >= rule.slot) return complete;
      const waitMs = Math.max(shortestWaitMs, Math.min(longestWaitMs, slots.everyMs - beforeNextSlotMs));
      return now < rule.slot + waitMs && rule.slot <= latest.slot ? undefined : latest;
    },
    mayMissRows: (rule, { receivedBy }) => receivedBy > storedTo(rule).all && rule.row.definition.burn === undefined,
  };
}
