/**
 * Who the caller is: `credentials.ts` finds the session, token or key of a request, and `scopes.ts` the workspace,
 * project and environment of the path. Both are remembered until they change (`remembered.ts`). `rules.ts` decides
 * what a role permits in a scope.
 */

import type { Feature } from '../../feature.ts';
import type { AccessFeature } from './access.ts';
import { accessChanged, accessChangeOf } from './changes.ts';

export { type AccessFeature, createAccess } from './access.ts';
export { type AccessChange, announceAccessChange } from './changes.ts';
export { sessionAbsoluteMs, sessionIdleMs } from './credentials.ts';
export { createKnownKeys } from './known-keys.ts';
export { readableProjects } from './readable-projects.ts';
export { createMemory } from './remembered.ts';
export { isReadable, requireReadable } from './require-readable.ts';
export { missingFrom } from './rules.ts';

/** Permissions. Changes reach every replica, so that a revoked credential ends everywhere. */
export const accessFeature = {
  name: 'identity/access',
  subscriptions: ({ access }: { access: AccessFeature }) => [
    { topic: accessChanged, on: (message) => access.forget(accessChangeOf(message)), missed: () => access.forget() },
  ],
} satisfies Feature;
