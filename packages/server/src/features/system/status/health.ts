import type { Log } from '../../../platform/log.ts';

export type DependencyName = 'control_plane' | 'telemetry_store' | 'write_ahead_log';
export interface DependencyState {
  readonly name: DependencyName;
  readonly status: 'up' | 'down' | 'degraded';
  readonly detail?: string;
}
export type Phase = 'starting' | 'serving' | 'stopping';

export interface Health {
  phase(): Phase;
  setPhase(phase: Phase): void;
  dependencies(): readonly DependencyState[];
  stop(): void;
}

interface Check {
  readonly name: DependencyName;
  readonly check: () => Promise<Omit<DependencyState, 'name'>>;
}

const everyMs = 2_000;

/** Checks each dependency every two seconds, in the background, so that a readiness probe never waits for a store. */
export function watchHealth(checks: readonly Check[], { log }: { log: Log }): Health {
  let phase: Phase = 'starting';
  const states = new Map<DependencyName, DependencyState>(checks.map(({ name }) => [name, { name, status: 'up' }]));
  const timers = checks.map(({ name, check }) => {
    let running = false;
    const ask = async () => {
      if (running) return;
      running = true;
      const state = await check().catch((error: unknown) => ({
        status: 'down' as const,
        detail: error instanceof Error ? error.message.slice(0, 200) : 'unknown',
      }));
      running = false;
      if (states.get(name)?.status !== state.status)
        log.warn({ dependency: name, ...state }, `${name} is ${state.status}`);
      states.set(name, { name, ...state });
    };
    return setInterval(ask, everyMs).unref();
  });
  return {
    phase: () => phase,
    setPhase(next) {
      phase = next;
    },
    dependencies: () => [...states.values()],
    stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
