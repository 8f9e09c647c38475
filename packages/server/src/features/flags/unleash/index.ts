/**
 * Unleash's protocols. Frontend SDKs get evaluated flags (`frontend.ts`).
 */

import { unleashRoutes } from '@fanion/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { toFailure } from '../../../http/envelope.ts';
import type { Feature } from '../../feature.ts';
import type { Rulesets } from '../evaluation/index.ts';
import { createFrontend } from './frontend.ts';

export interface UnleashDependencies {
  readonly rulesets: Rulesets;
}

function unleashHandlers({ rulesets }: UnleashDependencies): MountedRoute[] {
  const frontend = createFrontend(rulesets);
  return implement(
    unleashRoutes,
    {
      unleashFrontend: (asked) => frontend.ofQuery(asked),
      unleashFrontendPost: (asked) => frontend.ofBody(asked, asked.body),
    },
    sendUnleashFailure,
  );
}

/** SDKs read the status, and people the message. */
function sendUnleashFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error, request);
  if (failure.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(Math.ceil(failure.retryAfterSeconds)));
  return reply
    .code(failure.status)
    .type('application/json')
    .send({ id: request.id, name: failure.error, message: failure.message });
}

export const unleashFeature = {
  name: 'flags/unleash',
  role: 'flags',
  routes: unleashHandlers,
} satisfies Feature;
