/**
 * A flag change: `submit.ts` applies it now, or stores it until it is approved or due. `apply.ts` applies it in one
 * transaction. This replica swaps its ruleset immediately, the others when they read the outbox; all compare versions
 * every second.
 */

import type { Feature } from '../../feature.ts';
import { changesHandlers } from './handlers.ts';
import { changeJob } from './job.ts';

export { announcing } from './announce.ts';

export { createChanges, maxWaiting } from './submit.ts';

/** Changes that wait for approval or a time, and the history of those that were applied. */
export const changesFeature = {
  name: 'flags/changes',
  routes: changesHandlers,
  jobs: (parts: Parameters<typeof changeJob>[0]) => [changeJob(parts)],
} satisfies Feature;
