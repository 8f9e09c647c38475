import { mcpRoutes } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import { implement, type MountedRoute, type SendFailure } from '../../../http/context.ts';
import { sendFailure, toFailure } from '../../../http/envelope.ts';
import { sameOrigin } from '../../../http/same-origin.ts';
import { fail } from '../../../platform/fail.ts';
import type { Feature } from '../../feature.ts';
import { parseError, protocolError } from './rules.ts';

/** The Model Context Protocol, for assistants: https://modelcontextprotocol.io/specification, streamable HTTP. */
export const mcpFeature = { name: 'system/mcp', routes: handlers } satisfies Feature;

function handlers({ config }: { config: Config }): MountedRoute[] {
  const { mcp: limits, baseUrl } = config;
  return implement(
    mcpRoutes,
    {
      async postMcp({ request, reply, caller, signal }) {
        // The protocol demands this check of every request: a page of another origin may rebind its name to this server.
        if (!sameOrigin(request, baseUrl, false)) throw fail('CROSS_ORIGIN', { origin: baseUrl ?? 'the same origin' });
        // Loaded at the first request: the SDK takes 0.3 s and 26 MB, which servers without assistants do not need.
        const { answerBody } = await import('./answer-body.ts');
        const { status, json } = await answerBody(
          request.body,
          { request, caller, signal, bounds: limits },
          limits.batch,
        );
        if (json === undefined) reply.code(status).send();
        else reply.code(status).type('application/json; charset=utf-8').send(json);
        return undefined;
      },
    },
    sendMcpFailure,
  );
}

/** Unreadable JSON is an error of JSON-RPC; a refused credential or origin is one of HTTP. */
const sendMcpFailure: SendFailure = (error, request, reply) => {
  const failure = toFailure(error, request);
  if (failure.error !== 'MALFORMED_BODY') return sendFailure(failure, request, reply);
  return reply.code(400).type('application/json; charset=utf-8').send(protocolError(parseError, failure.message));
};
