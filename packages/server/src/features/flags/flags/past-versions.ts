import { fail } from '../../../platform/fail.ts';
import { isId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { findHistory, listVersions, presentHistory } from './history-store.ts';
import { lengthOfLastChange } from './previous-rules.ts';
import type { TargetingConfig } from './rules.ts';
import type { FlagRow } from './store.ts';
import { shown, targetingNow } from './targeting.ts';

/** Changes that are read together; the previous version is nearly always among the first ones. */
const pageSize = 50;

/** Earlier versions of flags, with what restoring them brings back. */
export function createPastVersions({ db }: Pick<FeatureDependencies, 'db'>) {
  return {
    /** @param pinned the only environment that the caller may see; undefined: all */
    async find(flag: FlagRow, id: string, pinned: string | undefined) {
      const entry = isId(id) ? await findHistory(db, flag.id, id) : undefined;
      const isHidden = pinned !== undefined && entry?.environment_id !== null && entry?.environment_id !== pinned;
      if (entry === undefined || isHidden) throw fail('CHANGE_NOT_FOUND', { id });
      return presentVersion(entry);
    },

    /** The latest earlier version with another targeting than now. */
    async previous(project: { readonly id: string }, environment: { readonly id: string }, key: string) {
      const { flag, config, ramp } = await targetingNow(db, project.id, { flag: key, environmentId: environment.id });
      const place = { flagId: flag.id, environmentId: environment.id };
      const newest = await listVersions(db, place, { before: undefined, limit: pageSize });
      let entries = newest.slice(lengthOfLastChange(newest, ramp !== undefined));
      let last = newest.at(-1);
      while (last !== undefined) {
        const found = entries.find(({ restorable, after }) => restorable && !isUnchanged(after, config));
        if (found !== undefined) return presentVersion(found);
        entries = await listVersions(db, place, { before: last.id, limit: pageSize });
        last = entries.at(-1);
      }
      throw fail('NO_PREVIOUS_VERSION', { key });
    },
  };
}

function presentVersion(entry: Parameters<typeof presentHistory>[0] & { readonly after: unknown }) {
  const isTargeting = entry.restorable && entry.environment_id !== null;
  return {
    ...presentHistory(entry),
    targeting: isTargeting ? shown(entry.after as TargetingConfig) : null,
  };
}
