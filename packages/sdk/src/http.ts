import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Ruleset } from '@fanion/flag-engine';
import { createDeadline } from './deadline.ts';
import { ServerFailure } from './failure.ts';
import type { Settings } from './options.ts';
import { isRecord, isRuleset } from './ruleset.ts';

/** Timeout of one request for the ruleset, including the body. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Longest accepted `Retry-After`, since a proxy may send any value. */
const MAX_RETRY_AFTER_MS = 300_000;

const ignore = () => {};

export interface FetchedRuleset {
  readonly ruleset: Ruleset;
  readonly etag: string | undefined;
}

/**
 * GET `/api/v1/sdk/flags/ruleset`.
 *
 * @param etag of the current ruleset; undefined fetches it in any case
 * @returns undefined when it is unchanged
 * @throws ServerFailure
 */
export async function fetchRuleset(
  settings: Settings,
  etag: string | undefined,
  signal: AbortSignal,
): Promise<FetchedRuleset | undefined> {
  const deadline = createDeadline(signal);
  deadline.within(REQUEST_TIMEOUT_MS, `no answer within ${REQUEST_TIMEOUT_MS / 1000} s`);
  try {
    const headers = { accept: 'application/json', 'accept-encoding': 'gzip', ...(etag && { 'if-none-match': etag }) };
    const response = await get(settings, '/api/v1/sdk/flags/ruleset', headers, deadline.signal);
    if (response.statusCode === 304) return undefined;
    if (response.statusCode !== 200) throw await refusal(response);
    const body = await jsonOf(response);
    const ruleset = isRecord(body) ? body.data : undefined;
    if (!isRuleset(ruleset)) throw new ServerFailure('unavailable', 'what the server answered is no ruleset');
    return { ruleset, etag: response.headers.etag };
  } catch (error) {
    throw deadline.why(error);
  } finally {
    deadline.end();
  }
}

/**
 * Sends a GET with the key and resolves with the response, whatever its status. Every request has its own connection,
 * which ends with it and does not keep the process alive. `fetch` is not used: when a stream is aborted, undici opens a
 * useless new connection and leaves it open.
 */
export function get(
  settings: Settings,
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(settings.endpoint + path);
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const authorization = `Bearer ${settings.sdkKey}`;
    const agent = `fanion-sdk-node Node/${process.versions.node}`;
    const request = send(url, {
      agent: settings.agent ?? false,
      headers: { ...headers, authorization, 'user-agent': agent },
      signal,
    });
    request.on('socket', (socket) => {
      socket.unref();
      // A request can be aborted while its last bytes are read. Node has then stopped listening to a connection that it keeps, and the error
      // would end the process.
      if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore);
    });
    request.on('response', resolve);
    // After the response has begun, its reader gets errors.
    request.on('error', reject);
    request.end();
  });
}

/** The failure for a response with another status than 2xx. Consumes its body. */
export async function refusal(response: IncomingMessage): Promise<ServerFailure> {
  const { statusCode: status = 0, headers } = response;
  if (headers.location !== undefined) {
    return new ServerFailure(
      'unavailable',
      `the server redirects (${status}) to ${headers.location}: set the endpoint`,
    );
  }
  const body = await jsonOf(response);
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const said = typeof error.message === 'string' ? `: ${error.message}` : '';
  const denied = status === 401 || status === 403;
  const what = denied ? 'the server does not accept this SDK key' : 'the server could not answer';
  const kind = denied ? 'denied' : 'unavailable';
  return new ServerFailure(kind, `${what} (${status})${said}`, retryAfterMs(headers['retry-after']));
}

/** Undefined if the body is not JSON. */
async function jsonOf(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  try {
    const text = response.headers['content-encoding'] === 'gzip' ? await promisify(gunzip)(bytes) : bytes;
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}

function retryAfterMs(header: string | undefined): number | undefined {
  const seconds = header === undefined || header.trim() === '' ? Number.NaN : Number(header);
  return seconds >= 0 ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : undefined;
}
