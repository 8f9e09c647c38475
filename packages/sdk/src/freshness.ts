/** The provider's state as reported to OpenFeature after its start. */
export type Freshness = 'fresh' | 'stale' | 'denied';

export interface FreshnessState {
  /**
   * Called after the start; nothing is reported before. `failed`: the caller already knows that there is no ruleset.
   */
  begin(how: 'fresh' | 'stale' | 'failed'): void;
  /** The server confirmed the current ruleset. */
  contact(): void;
  /** The server is unreachable. */
  lost(message: string): void;
  /** The server rejects the key. */
  denied(message: string): void;
  end(): void;
}

/**
 * Converts contact with the server to events: a restart of the server is not reported; after `staleAfterMs` without
 * contact the ruleset is stale. Each change is reported once.
 */
export function createFreshness(
  staleAfterMs: number,
  tell: (state: Freshness, message?: string) => void,
): FreshnessState {
  let state: Freshness | 'starting' | 'failed' = 'starting';
  let contacted = false;
  let why = '';
  let timer: NodeJS.Timeout | undefined;

  function become(next: Freshness, message?: string): void {
    stop();
    if (state === next) return;
    state = next;
    tell(next, message);
  }

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    begin(how) {
      if (how === 'fresh') state = 'fresh';
      else if (how === 'failed') state = 'failed';
      else if (!contacted) return become('stale', why);
      else state = 'fresh';
    },
    contact() {
      contacted = true;
      if (state === 'starting') return;
      become('fresh');
    },
    lost(message) {
      why = message;
      if (state !== 'fresh' || timer !== undefined) return;
      timer = setTimeout(() => become('stale', why), staleAfterMs);
      timer.unref();
    },
    denied(message) {
      if (state !== 'starting') become('denied', message);
    },
    end: stop,
  };
}
