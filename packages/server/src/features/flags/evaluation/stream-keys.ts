import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../../../platform/log.ts';

export interface StreamKeys {
  /** Ends the streams of keys that are no longer valid. */
  check(): Promise<void>;
  /** Whether a key is still valid. True while the control plane is down, since nobody can revoke it then. */
  isLive(keyId: string): Promise<boolean>;
}

/** Which keys of open streams are still valid: they may be revoked here or on another replica. */
export function createStreamKeys({
  inUse,
  liveKeys,
  endOthers,
  log,
}: {
  readonly inUse: () => ReadonlySet<string>;
  /** Returns those of these keys that are still valid. */
  readonly liveKeys: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Ends the streams of `checked` keys that are not `live`. */
  readonly endOthers: (checked: ReadonlySet<string>, live: ReadonlySet<string>) => void;
  readonly log: Log;
}): StreamKeys {
  let checking = false;
  let checkAgain = false;
  /** Looks up all keys of one turn of the event loop together, since clients reconnect all at once. */
  let asking: { readonly ids: Set<string>; readonly live: Promise<ReadonlySet<string>> } | undefined;

  async function check(): Promise<void> {
    if (checking) {
      checkAgain = true;
      return;
    }
    const ids = inUse();
    if (ids.size === 0) return;
    checking = true;
    try {
      endOthers(ids, await liveKeys([...ids]));
    } catch (error) {
      // While the control plane is down, nobody can revoke a key either.
      log.debug({ err: error }, 'could not check the keys of streams');
    } finally {
      checking = false;
    }
    // The check may have missed a key that was revoked while it ran.
    if (!checkAgain) return;
    checkAgain = false;
    await check();
  }

  return {
    check,
    async isLive(keyId) {
      if (asking === undefined) {
        const ids = new Set<string>();
        const live = nextTurn().then(() => {
          asking = undefined;
          return liveKeys([...ids]);
        });
        asking = { ids, live };
      }
      asking.ids.add(keyId);
      return asking.live.then(
        (live) => live.has(keyId),
        () => true,
      );
    },
  };
}
