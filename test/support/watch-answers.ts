import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import type { Answer } from '../../packages/server/src/testing/check-answer.ts';

type See = (answer: Answer) => void;

/**
 * Shows every answer of Fanion that this process gives or gets: those of its own servers, whoever asks (a browser, the
 * command line, another process), and those that a test gets by `fetch` from a server in a separate process. Not shown:
 * what a server streams to others, and what another program gets from a server in another process. Returns how to stop,
 * for servers made and answers got after that.
 */
export function watchAnswers(see: See): () => void {
  const stops = [watchServers(see), watchFetch(see)];
  return () => {
    for (const stop of stops) stop();
  };
}

function watchServers(see: See): () => void {
  const onServer = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onSend', async (request, reply, payload) => {
      // HEAD has the headers of GET and no body.
      if (request.method === 'HEAD') return;
      see({
        method: request.method,
        path: request.url.split('?')[0] ?? request.url,
        status: reply.statusCode,
        type: String(reply.getHeader('content-type') ?? ''),
        body: textOf(payload),
      });
    });
  };
  subscribe('fastify.initialization', onServer);
  return () => unsubscribe('fastify.initialization', onServer);
}

/** Undefined: a stream. */
function textOf(payload: unknown): string | undefined {
  if (payload === undefined || payload === null) return '';
  if (typeof payload === 'string') return payload;
  return Buffer.isBuffer(payload) ? payload.toString() : undefined;
}

const ourHosts = new Set(['127.0.0.1', 'localhost', '[::1]']);
/** A header of servers that only imitate Fanion for a test. Their answers are not checked. */
export const TEST_DOUBLE_HEADER = 'x-test-double';

function watchFetch(see: See): () => void {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    const url = new URL(input instanceof Request ? input.url : input);
    // A redirect leads to another path; what it said itself is gone.
    if (!ourHosts.has(url.hostname) || response.redirected || response.headers.has(TEST_DOUBLE_HEADER)) return response;
    const answer = {
      method: (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase(),
      path: url.pathname,
      status: response.status,
      type: response.headers.get('content-type') ?? '',
    };
    const text = response.text.bind(response);
    const read = async () => {
      const body = await text();
      see({ ...answer, body });
      return body;
    };
    return Object.assign(response, { text: read, json: async () => JSON.parse(await read()) });
  };
  return () => {
    globalThis.fetch = fetch;
  };
}
