import { flagsRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../http/context.ts';
import { cutPage, decodeCursor } from '../../http/cursor.ts';
import { createFlagService, type FlagsDependencies } from './service.ts';

export { loadRuleset } from './ruleset.ts';
export { type FlagsDependencies, maxFlags } from './service.ts';
export { findRulesetVersions, rulesetChanged } from './store.ts';

const isFlagKey = (text: string) => /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}$/.test(text);

/** Flags and what they serve. */
export function flagsFeature(dependencies: FlagsDependencies): MountedRoute[] {
  const service = createFlagService(dependencies);
  return implement(flagsRoutes, {
    async listFlags({ workspace, project, caller, query: { search, tag, archived, limit, cursor } }) {
      const rows = await service.list({ workspace, project }, caller, {
        search,
        tag,
        archived,
        after: decodeCursor(cursor, isFlagKey),
        limit,
      });
      const { items, nextCursor } = cutPage(rows, limit, (row) => row.key);
      return page(items, nextCursor);
    },
    async createFlag({ workspace, project, caller, body, origin }) {
      return service.create({ workspace, project }, caller, body, origin);
    },
    async getFlag({ workspace, project, caller, params }) {
      return service.get({ workspace, project }, caller, params.key);
    },
    async getTargeting({ workspace, project, environment, params }) {
      return service.getTargeting({ workspace, project }, environment, params.key);
    },
    async setTargeting({ workspace, project, environment, caller, params, body, origin }) {
      return service.setTargeting({ workspace, project }, environment, caller, params.key, body, origin);
    },
  });
}
