/** A change to what an environment serves, as the history has it. */
export interface PastChange {
  readonly kind: string;
  readonly actor_type: string;
  readonly restorable: boolean;
}

/**
 * How many of the newest changes are one act of a person with the newest: the steps that a ramp takes by itself belong to its start. Without an
 * active ramp, the newest ramp change is its end, so the start is an earlier change.
 */
export function lengthOfLastChange(changes: readonly PastChange[], isRampActive: boolean): number {
  const [newest] = changes;
  if (newest?.kind !== 'ramp') return Math.min(1, changes.length);
  const isStart = newest.actor_type !== 'system' && isRampActive;
  if (isStart) return 1;
  const rest = changes.slice(1);
  const start = rest.findIndex(({ kind, actor_type }) => kind === 'ramp' && actor_type !== 'system');
  return start === -1 ? 1 : start + 2;
}
