import { tokensRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { isId } from '../../../platform/ids.ts';
import type { Feature } from '../../feature.ts';
import * as service from './service.ts';

export { openPayloadKey, sealPayloadKeysAgain } from './payload-keys.ts';

/** API tokens and SDK keys. */
export const tokensFeature = {
  name: 'identity/tokens',
  routes: handlers,
} satisfies Feature;

function handlers(dependencies: service.TokenDependencies): MountedRoute[] {
  return implement(tokensRoutes, {
    async listTokens({ workspace, caller, query: { kind, include_revoked, limit, cursor } }) {
      const options = { kind, includeRevoked: include_revoked, after: decodeCursor(cursor, isId), limit };
      const rows = await service.list(dependencies, workspace, caller, options);
      const { items, nextCursor } = cutPage(rows, limit, (row) => row.id);
      return page(items, nextCursor);
    },
    async createToken({ workspace, caller, body, origin }) {
      return service.createApiToken(dependencies, workspace, caller, body, origin);
    },
    async removeToken({ workspace, caller, params, origin }) {
      await service.revoke(dependencies, workspace, caller, params.id, origin);
      return undefined;
    },
    async createFlagKey({ workspace, project, caller, body, origin }) {
      return service.createFlagKey(dependencies, { workspace, project }, caller, body, origin);
    },
  });
}
