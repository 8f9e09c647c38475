/**
 * Unleash's protocols. Frontend SDKs get evaluated flags (`frontend.ts`). Backend SDKs get strategies (`backend.ts`), to which
 * the ruleset in memory is converted once per version (`convert-rules.ts`). Both report how often they evaluated
 * (`metrics.ts`).
 */

import { unleashRoutes } from '@fanion/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { failing } from '../../../http/failing.ts';
import type { Feature } from '../../feature.ts';
import { type Rulesets, requireFewBytes, type Streams } from '../evaluation/index.ts';
import type { Exposures } from '../exposures/index.ts';
import { createBackend } from './backend.ts';
import { createFrontend } from './frontend.ts';
import { createMetrics } from './metrics.ts';

export interface UnleashDependencies {
  readonly rulesets: Rulesets;
  readonly streams: Streams;
  readonly exposures: Exposures;
}

function unleashHandlers({ rulesets, streams, exposures }: UnleashDependencies): MountedRoute[] {
  const frontend = createFrontend(rulesets);
  const backend = createBackend(rulesets, streams);
  const metrics = createMetrics(rulesets, exposures);
  return implement(
    unleashRoutes,
    {
      unleashFrontend: { plain: (asked) => frontend.ofQuery(asked) },
      unleashFrontendPost: { plain: (asked) => frontend.ofBody(asked, asked.body) },
      unleashFeatures: (asked) => backend.features(asked),
      unleashDelta: (asked) => backend.delta(asked),
      unleashStreaming: (asked) => backend.streaming(asked, asked.query.seconds),
      unleashFeature: (asked) => backend.feature(asked, asked.params.key),
      async unleashRegister({ reply }) {
        reply.code(202).send();
        return undefined;
      },
      unleashMetrics: (asked) => metrics.report(asked, asked.body),
      async unleashFrontendMetrics(asked) {
        requireFewBytes(asked.caller, asked.request);
        return metrics.report(asked, asked.body);
      },
      async unleashFrontendRegister({ reply }) {
        reply.code(202).send();
        return undefined;
      },
    },
    sendUnleashFailure,
  );
}

/** SDKs read the status, and people the message. */
function sendUnleashFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { error: name, message } = failing(error, request, reply);
  return reply.send({ id: request.id, name, message });
}

export const unleashFeature = {
  name: 'flags/unleash',
  role: 'flags',
  routes: unleashHandlers,
} satisfies Feature;

export { unleashReasons } from './convert-rules.ts';
