import type { AccessChange } from '../features/identity/access/index.ts';
import type { Credentials, SdkCaller } from '../http/caller.ts';
import type { Clock } from '../platform/clock.ts';
import { Failure } from '../platform/fail.ts';
import { TtlCache } from '../platform/ttl-cache.ts';
import type { Question } from './messages.ts';

/** How long a key is accepted before it is checked again, in the background. */
const checkedForMs = 2_000;
const maxCallers = 10_000;

interface Known {
  readonly caller: SdkCaller;
  /** Something has changed that may concern it: it is checked before it is accepted. */
  isDoubtful: boolean;
}

/** The SDK keys that the server has confirmed. While the server cannot be asked, they stay valid. */
export function createCallers({ ask, clock }: { ask: (question: Question) => Promise<unknown>; clock: Clock }) {
  const known = new TtlCache<string, Known>({ clock, ttlMs: checkedForMs, max: maxCallers });
  /** A reply to a question from before a change proves nothing after it. */
  let changes = 0;

  async function check(credentials: Credentials, sent: string): Promise<SdkCaller> {
    const before = changes;
    try {
      const caller = (await ask({ about: 'caller', credentials })) as SdkCaller;
      if (sent !== '') known.set(sent, { caller, isDoubtful: before !== changes });
      return caller;
    } catch (error) {
      if (error instanceof Failure && error.error !== 'SERVER_STARTING') known.delete(sent);
      else {
        const last = known.getStale(sent);
        if (last !== undefined) return last.caller;
      }
      throw error;
    }
  }

  return {
    /** As `access.sdkCaller`. */
    sdkCaller(credentials: Credentials): SdkCaller | Promise<SdkCaller> {
      const sent = credentials.authorization ?? credentials.apiKey ?? '';
      const fresh = known.get(sent);
      if (fresh?.isDoubtful === false) return fresh.caller;
      const last = known.getStale(sent);
      if (last === undefined || last.isDoubtful) return check(credentials, sent);
      known.set(sent, last);
      check(credentials, sent).catch(() => {
        // It is no longer known, so that the next request gets the error.
      });
      return last.caller;
    },
    /** Takes over a key that the server has confirmed for a request of its own. */
    learn({ authorization, apiKey }: Credentials, caller: SdkCaller): void {
      const sent = authorization ?? apiKey;
      if (sent !== undefined) known.set(sent, { caller, isDoubtful: false });
    },
    changed({ workspaceId, userId }: AccessChange): void {
      changes++;
      if (userId !== undefined) return;
      known.forEach((one) => {
        if (workspaceId === undefined || one.caller.workspaceId === workspaceId) one.isDoubtful = true;
      });
    },
  };
}
