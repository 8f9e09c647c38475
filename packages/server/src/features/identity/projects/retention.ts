import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { TtlCache } from '../../../platform/ttl-cache.ts';
import { type Retention, type RetentionClasses, retentionOf } from './retention-rules.ts';
import { findRetention } from './store.ts';

/** How long a change on another replica can go unnoticed; on this one it applies at once. */
const cacheMs = 2_000;
/** How long a request waits for a control plane that hangs, if an earlier value is known. */
const patienceMs = 250;

/** How long each project's telemetry is kept, for ingest. */
export interface ProjectRetention {
  readonly classes: RetentionClasses;
  /** Cached. While the control plane is down or hangs, the last known value; for a removed project, the default. */
  of(projectId: string): Promise<Retention>;
  /** Call after any change of a project. */
  forget(): void;
}

interface RetentionDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly classes: RetentionClasses;
}

export function createProjectRetention({ db, clock, classes }: RetentionDependencies): ProjectRetention {
  const known = new TtlCache<string, Retention>({ clock, ttlMs: cacheMs, max: 10_000 });
  const loading = new Map<string, Promise<Retention>>();

  async function load(projectId: string): Promise<Retention> {
    try {
      const stored = await findRetention(db, projectId);
      return retentionOf(stored ?? {}, classes.default);
    } catch (error) {
      const stale = known.getStale(projectId);
      if (stale === undefined) throw error;
      return stale;
    }
  }

  /** Concurrent callers share one look-up, unless a change came in between. */
  function share(projectId: string): Promise<Retention> {
    const begun = loading.get(projectId);
    if (begun !== undefined) return begun;
    const answer = load(projectId).then((retention) => {
      if (loading.get(projectId) === answer) known.set(projectId, retention);
      return retention;
    });
    loading.set(projectId, answer);
    const ended = () => {
      if (loading.get(projectId) === answer) loading.delete(projectId);
    };
    answer.then(ended, ended);
    return answer;
  }

  return {
    classes,
    async of(projectId) {
      const found = known.get(projectId);
      if (found !== undefined) return found;
      const before = known.getStale(projectId);
      const answer = share(projectId);
      if (before === undefined) return answer;
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<Retention>((resolve) => {
        timer = setTimeout(() => {
          // Cached for the next requests too, unless it was changed meanwhile.
          if (known.getStale(projectId) === before) known.set(projectId, before);
          resolve(before);
        }, patienceMs);
      });
      return Promise.race([answer, patience]).finally(() => clearTimeout(timer));
    },
    forget() {
      known.clear();
      loading.clear();
    },
  };
}
