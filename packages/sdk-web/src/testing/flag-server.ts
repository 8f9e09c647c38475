import { once } from 'node:events';
import { createServer } from 'node:http';

export interface Asked {
  readonly context: Readonly<Record<string, unknown>>;
  readonly ifNoneMatch: string | undefined;
  readonly authorization: string | undefined;
}

/** A server of OFREP with one flag, whose value is that of `plan` in the context while `values` has it. */
export async function startFlagServer() {
  const asked: Asked[] = [];
  const state = { version: 1, values: { free: false, pro: true } as Record<string, unknown>, status: 200 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { context } = JSON.parse(Buffer.concat(chunks).toString());
    const { 'if-none-match': ifNoneMatch, authorization } = request.headers;
    asked.push({ context, ifNoneMatch, authorization });
    if (state.status !== 200) {
      response.writeHead(state.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ errorCode: 'GENERAL', errorDetails: 'not now', reason: 'ERROR' }));
      return;
    }
    const etag = `"${state.version}-${context.plan}"`;
    if (ifNoneMatch === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    const value = state.values[context.plan];
    const flags = [
      { key: 'basket', value, variant: String(value), reason: 'TARGETING_MATCH', metadata: { flagVersion: 3 } },
      { key: 'nothing', reason: 'DEFAULT', metadata: { flagVersion: 1 } },
      { key: 'broken', errorCode: 'PARSE_ERROR', errorDetails: 'malformed', reason: 'ERROR' },
    ];
    response.writeHead(200, { etag, 'content-type': 'application/json' });
    response.end(JSON.stringify({ flags, metadata: {} }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    state,
    asked,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
