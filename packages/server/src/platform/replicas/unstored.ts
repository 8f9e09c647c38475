import type { WalSignal } from '@fanion/telemetry';
import type { Clock } from '../clock.ts';
import type { Unstored } from '../gateway/index.ts';
import { patiently } from '../patience.ts';
import type { TelemetryScope } from '../scoped-telemetry.ts';
import type { OthersStored } from './others-stored.ts';
import { heartbeatMs } from './rules.ts';

/** Servers publish up to when they have stored with each heartbeat, so a smaller lag does not show that anything waits. */
const lagMs = 2 * heartbeatMs;
/** How long an answer waits for what the others have published. */
const patienceMs = 1_000;
/**
 * Finds what was acknowledged for a scope and is not stored yet: in this server's log by tenant, in those of other servers by
 * time only.
 * @param others undefined: no other server writes to this telemetry store
 */
export function createUnstored({
  held,
  others,
  clock,
}: {
  readonly held: (scope: TelemetryScope, signals: readonly WalSignal[]) => Unstored;
  readonly others: OthersStored | undefined;
  readonly clock: Clock;
}): (scope: TelemetryScope, signals: readonly WalSignal[]) => Promise<Unstored> {
  async function othersStoredTo(): Promise<number> {
    if (others === undefined) return Number.POSITIVE_INFINITY;
    try {
      await patiently(others.refresh(), patienceMs, () => {
        throw new Error('the control plane does not answer');
      });
      return others.withOwn(Number.POSITIVE_INFINITY).running;
    } catch {
      // While the control plane is down, it is not known that others have stored everything.
      return clock.now() - lagMs - 1;
    }
  }

  return async (scope, signals) => {
    const own = held(scope, signals);
    const to = await othersStoredTo();
    if (to >= clock.now() - lagMs) return own;
    return { items: null, since: Math.min(own.since ?? to, to), earliest: Number.NEGATIVE_INFINITY };
  };
}
