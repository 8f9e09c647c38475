import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { HiddenPlace, HiddenPlaces } from '../../../platform/scoped-telemetry.ts';
import { createMemory } from '../access/index.ts';
import { findHiddenPlaces } from './removals-store.ts';

/** The removed places of all workspaces, and what to do after a removal. */
export interface RemovedPlaces extends HiddenPlaces {
  /** Call after the commit of a removal, before it is answered. Undefined: of any workspace. */
  changed(workspace: number | undefined): void;
}

const all = 'all';

/**
 * Remembers removed places for as long as a removal on another server is certain to be heard of within two seconds; on this one it
 * counts at once.
 */
export function createRemovedPlaces(options: {
  readonly db: Database;
  readonly clock: Clock;
  readonly toldUntil: () => number;
}): RemovedPlaces {
  const memory = createMemory(options);
  const places = memory.facts<ReadonlyMap<number, readonly HiddenPlace[]>>(1);
  const listeners = new Set<(workspace: number | undefined) => void>();
  return {
    async of(workspace) {
      const known = places.get(all) ?? (await places.find(all, () => findHiddenPlaces(options.db), { isAway: false }));
      return known?.get(workspace) ?? [];
    },
    onRemoved(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed(workspace) {
      memory.change();
      places.forget(() => true);
      for (const listener of listeners) listener(workspace);
    },
  };
}
