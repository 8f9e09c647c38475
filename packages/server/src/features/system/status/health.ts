import type { Log } from '../../../platform/log.ts';

export type DependencyName = 'control_plane' | 'telemetry_store' | 'write_ahead_log' | 'clock';
export interface DependencyState {
  readonly name: DependencyName;
  readonly status: 'up' | 'down' | 'degraded';
  readonly detail?: string;
}
export type Phase = 'starting' | 'serving' | 'stopping';

export interface Health {
  phase(): Phase;
  setPhase(phase: Phase): void;
  /** As they are now. What does not answer at once is reported as of its last check. */
  dependencies(): Promise<readonly DependencyState[]>;
  stop(): void;
}

interface Check {
  readonly name: DependencyName;
  readonly check: () => Promise<Omit<DependencyState, 'name'>>;
}

const everyMs = 2_000;
/** How long a probe waits for the checks that it asks for: a store that hangs must not delay it. */
const probeWaitsMs = 100;

/** Checks each dependency every two seconds and at every probe. */
export function watchHealth(checks: readonly Check[], { log }: { log: Log }): Health {
  let phase: Phase = 'starting';
  const states = new Map<DependencyName, DependencyState>(checks.map(({ name }) => [name, { name, status: 'up' }]));
  const running = new Map<DependencyName, Promise<void>>();

  async function ask({ name, check }: Check): Promise<void> {
    const state = await check().catch((error: unknown) => ({
      status: 'down' as const,
      detail: error instanceof Error ? error.message.slice(0, 200) : 'unknown',
    }));
    running.delete(name);
    if (states.get(name)?.status !== state.status)
      log.warn({ dependency: name, ...state }, `${name} is ${state.status}`);
    states.set(name, { name, ...state });
  }

  /** At most one check of a dependency runs at a time. */
  function askOnce(check: Check): Promise<void> {
    const asked = running.get(check.name) ?? ask(check);
    running.set(check.name, asked);
    return asked;
  }

  const timers = checks.map((check) => setInterval(() => void askOnce(check), everyMs).unref());
  return {
    phase: () => phase,
    setPhase(next) {
      phase = next;
    },
    async dependencies() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, probeWaitsMs);
      });
      await Promise.race([Promise.all(checks.map(askOnce)), late]);
      clearTimeout(timer);
      return [...states.values()];
    },
    stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
