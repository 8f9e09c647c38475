import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { parseError } from '@clickhouse/client';
import { surviveAbortedRequests } from '../aborted-requests.ts';
import { parameterText } from './parameter-text.ts';

/**
 * Idle connections are closed after this, before the store closes them: the embedded store after 30 s, ClickHouse after
 * 10.
 */
const idleMs = 8_000;

export interface ReadRequest {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, string | number>>;
  readonly queryId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Reader {
  /**
   * Sends a read and resolves with its answer when that begins. Throws `ClickHouseError` where the store reports one.
   * Aborting closes the connection.
   */
  send(request: ReadRequest): Promise<IncomingMessage>;
  close(): void;
}

/**
 * Reads over ClickHouse's HTTP protocol with Node's own client. The official client waits for a timer before each
 * request and sends the statement as a stream: `SELECT 1` takes 4.5 ms with it and 1.4 ms without (2026-11-22).
 */
export function createReader(options: {
  readonly url: string;
  readonly database: string;
  readonly maxConnections: number;
  /** Between two bytes. */
  readonly timeoutMs: number;
}): Reader {
  surviveAbortedRequests();
  const { protocol, hostname, port, pathname, username, password } = new URL(options.url);
  const isSecure = protocol === 'https:';
  const agentOptions = { keepAlive: true, maxSockets: options.maxConnections, timeout: idleMs };
  const agent = isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const target = {
    agent,
    method: 'POST',
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    timeout: options.timeoutMs,
    auth: `${decodeURIComponent(username) || 'default'}:${decodeURIComponent(password)}`,
  };

  function sendOnce(
    path: string,
    sql: string,
    signal: AbortSignal | undefined,
    mayRepeat: boolean,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = (isSecure ? httpsRequest : httpRequest)({ ...target, path, ...(signal && { signal }) });
      sent.on('timeout', () => sent.destroy(new Error(`the telemetry store sent nothing for ${options.timeoutMs} ms`)));
      sent.on('error', (error) => {
        // The store closed the connection while it was idle, or was started again since. A read may be sent twice.
        if (mayRepeat && sent.reusedSocket && isReset(error)) resolve(sendOnce(path, sql, signal, false));
        else reject(error);
      });
      sent.on('response', resolve);
      sent.end(sql);
    });
  }

  return {
    async send({ sql, params, settings, queryId, signal }) {
      signal?.throwIfAborted();
      const search = new URLSearchParams({ database: options.database });
      if (queryId !== undefined) search.set('query_id', queryId);
      for (const [name, value] of Object.entries(settings)) search.set(name, String(value));
      for (const [name, value] of Object.entries(params)) search.set(`param_${name}`, parameterText(value));
      const path = `${pathname}?${search}`;
      const response = await sendOnce(path, sql, signal, true);
      if (response.statusCode === 200 && response.headers['x-clickhouse-exception-code'] === undefined) return response;
      throw parseError(await text(response));
    },
    close: () => agent.destroy(),
  };
}

function isReset(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}
