/** What OpenFeature is told about the provider after its start. */
export type Freshness = 'fresh' | 'stale' | 'denied';

export interface FreshnessState {
  /** The start is over; until now nothing was told. `failed`: the caller knows already that there is no ruleset. */
  begin(how: 'fresh' | 'stale' | 'failed'): void;
  /** The server confirmed the ruleset that is held. */
  contact(): void;
  /** The server is out of reach. */
  lost(message: string): void;
  /** The server refuses the key. */
  denied(message: string): void;
  end(): void;
}

/**
 * Turns contact with the server into what is worth telling: a server that restarts is nothing, one that stays away for
 * `staleAfterMs` makes what is served stale, and each is told once.
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
