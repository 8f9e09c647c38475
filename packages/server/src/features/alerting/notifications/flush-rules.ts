/**
 * When a group of alerts is notified, and of what: the decisions of Alertmanager's dispatcher and of its deduplication
 * (dispatch/dispatch.go, notify/dedup_stage.go), with two differences. An alert resolves because its rule says so and never by a
 * time-out. And a resolution that a silence, an inhibition or a time interval holds back is sent afterwards, where the
 * receiver was told that the alert fires.
 */

/** An alert of a group at the time of a flush. */
export interface Member {
  readonly id: string;
  readonly isFiring: boolean;
  /** Held back now by a silence, by another alert, or by a time interval. */
  readonly isMuted: boolean;
  /** The routing does not send it to this group any more: only its resolution is sent. */
  readonly hasLeft: boolean;
}

/** What a channel was last told about a group. */
export interface Sent {
  readonly firing: readonly string[];
  readonly resolved: readonly string[];
  /** When its receiver accepted that; until then, when it was decided. */
  readonly at: number;
}

export interface ChannelTerms {
  readonly sendResolved: boolean;
  readonly repeatIntervalMs: number;
  /** A message about the group is on its way to the channel. */
  readonly isAwaiting: boolean;
  /** The policy of the group does not use this channel any more. */
  readonly hasLeft: boolean;
}

export type FlushReason = 'first' | 'new_alerts' | 'resolved' | 'all_resolved' | 'repeat';

export interface Flush {
  readonly reason: FlushReason;
  /** The alerts to send; none: the channel does not want to hear of it, and it only counts as told. */
  readonly send: { readonly firing: readonly string[]; readonly resolved: readonly string[] } | null;
  readonly sent: Sent;
}

/** What one channel gets about a group now; null: nothing. */
export function decide(
  members: readonly Member[],
  sent: Sent | undefined,
  { sendResolved, repeatIntervalMs, isAwaiting, hasLeft }: ChannelTerms,
  now: number,
): Flush | null {
  const heard = members.filter(({ isMuted }) => !isMuted);
  const told = new Set(sent?.firing);
  const firing = heard.filter((member) => member.isFiring && (told.has(member.id) || !(member.hasLeft || hasLeft)));
  const resolved = heard.filter(({ isFiring }) => !isFiring);
  const reason = reasonOf();
  if (reason === null) return null;
  const ids = (list: readonly Member[]) => list.map(({ id }) => id);
  const next = { firing: ids(firing), resolved: ids(resolved), at: now };
  if (sendResolved) return { reason, send: { firing: next.firing, resolved: next.resolved }, sent: next };
  return { reason, send: firing.length === 0 ? null : { firing: next.firing, resolved: [] }, sent: next };

  function reasonOf(): FlushReason | null {
    if (firing.some(({ id }) => !told.has(id))) return told.size === 0 ? 'first' : 'new_alerts';
    // Also for channels that do not want resolutions: the alerts are new to them when they fire again.
    if (firing.length === 0) return told.size > 0 && resolved.length > 0 ? 'all_resolved' : null;
    const toldResolved = new Set(sent?.resolved);
    if (sendResolved && resolved.some(({ id }) => !toldResolved.has(id))) return 'resolved';
    // A receiver that is down for longer than the interval would otherwise get the same several times when it is back.
    if (isAwaiting || hasLeft || !firing.some((member) => !member.hasLeft)) return null;
    return sent !== undefined && sent.at < now - repeatIntervalMs ? 'repeat' : null;
  }
}

/**
 * The alerts that a group forgets after a flush: those that have resolved, unless a channel still has to hear of that.
 * @param told what each channel has been told, this flush included
 */
export function forgotten(members: readonly Member[], told: readonly Sent[]): string[] {
  const awaited = new Set(told.flatMap(({ firing }) => firing));
  return members.filter(({ id, isFiring, isMuted }) => !isFiring && !(isMuted && awaited.has(id))).map(({ id }) => id);
}
