import { once } from 'node:events';
import { createServer } from 'node:http';

export interface Asked {
  readonly context: Readonly<Record<string, unknown>>;
  readonly ifNoneMatch: string | undefined;
  readonly authorization: string | undefined;
}

interface State {
  version: number;
  values: Readonly<Record<string, unknown>>;
  status: number;
  /** Seconds for the `Retry-After` of refusals. */
  retryAfter: number;
  /** Requests that arrive while it is set are answered after it, with the state at their arrival. */
  heldUntil: Promise<void> | undefined;
  /** Seconds after which a hidden page closes its stream; without it, answers name no stream. */
  inactivityDelaySec: number | undefined;
}

/** A server of OFREP with one flag, whose value is that of `plan` in the context while `values` has it. */
export async function startFlagServer() {
  const asked: Asked[] = [];
  const answered: Asked[] = [];
  const state: State = {
    version: 1,
    values: { free: false, pro: true },
    status: 200,
    retryAfter: 0,
    heldUntil: undefined,
    inactivityDelaySec: undefined,
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { context } = JSON.parse(Buffer.concat(chunks).toString());
    const { 'if-none-match': ifNoneMatch, authorization } = request.headers;
    const one = { context, ifNoneMatch, authorization };
    asked.push(one);
    response.on('finish', () => answered.push(one));
    const { version, values, status, retryAfter, heldUntil, inactivityDelaySec } = state;
    await heldUntil;
    if (status !== 200) {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': String(retryAfter) });
      response.end(JSON.stringify({ errorCode: 'GENERAL', errorDetails: 'not now', reason: 'ERROR' }));
      return;
    }
    const etag = `"${version}-${context.plan}"`;
    if (ifNoneMatch === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    const value = values[context.plan];
    const flags = [
      { key: 'basket', value, variant: String(value), reason: 'TARGETING_MATCH', metadata: { flagVersion: 3 } },
      { key: 'nothing', reason: 'DEFAULT', metadata: { flagVersion: 1 } },
      { key: 'broken', errorCode: 'PARSE_ERROR', errorDetails: 'malformed', reason: 'ERROR' },
    ];
    response.writeHead(200, { etag, 'content-type': 'application/json' });
    const stream = { type: 'sse', endpoint: { requestUri: '/stream' }, inactivityDelaySec };
    const eventStreams = inactivityDelaySec === undefined ? undefined : [stream];
    response.end(JSON.stringify({ flags, metadata: {}, eventStreams }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    state,
    asked,
    answered,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
