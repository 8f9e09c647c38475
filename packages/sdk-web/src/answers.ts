import type { EvaluationContext, FlagMetadata, JsonValue } from '@openfeature/web-sdk';
import type { Settings } from './options.ts';

/** One flag of an answer of OFREP. `value` is absent where the flag serves nothing. */
export interface FlagAnswer {
  readonly key: string;
  readonly value?: JsonValue;
  readonly variant?: string;
  readonly reason?: string;
  readonly metadata?: FlagMetadata;
  readonly errorCode?: string;
  readonly errorDetails?: string;
}

/** The flags of one context. */
export interface Answers {
  readonly flags: ReadonlyMap<string, FlagAnswer>;
  readonly etag: string | null;
  readonly stream: StreamPlace | undefined;
}

export interface StreamPlace {
  readonly url: string;
  /** After this time in the background, the stream is closed. */
  readonly inactivityMs: number;
}

/** Why flags could not be fetched. `isDenied`: another attempt is useless. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure';
  readonly isDenied: boolean;
  /** From `Retry-After`. */
  readonly retryAfterMs: number;

  constructor(message: string, isDenied: boolean, retryAfterMs = 0) {
    super(message);
    this.isDenied = isDenied;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * The flags of a context: POST `/ofrep/v1/evaluate/flags`.
 *
 * @param known what is already held of this context
 * @param announced the tag of the event that announced a change: the server answers with no older version
 * @returns `known` if nothing has changed
 * @throws FetchFailure
 */
export async function fetchAnswers(
  { endpoint, clientKey, timeoutMs }: Settings,
  context: EvaluationContext,
  known: Answers | undefined,
  announced: string | undefined,
): Promise<Answers> {
  const query = announced === undefined ? '' : `?flagConfigEtag=${encodeURIComponent(announced)}`;
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), timeoutMs);
  try {
    const response = await fetch(`${endpoint}/ofrep/v1/evaluate/flags${query}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${clientKey}`,
        'content-type': 'application/json',
        ...(known?.etag && { 'if-none-match': known.etag }),
      },
      body: JSON.stringify({ context }),
      signal: ended.signal,
      cache: 'no-store',
    });
    if (response.status === 304 && known !== undefined) return known;
    const body: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw refusal(response, body);
    if (!isRecord(body) || !Array.isArray(body.flags)) throw new FetchFailure('the answer has no flags', false);
    const flags = body.flags.filter(isFlag).map((flag): [string, FlagAnswer] => [flag.key, flag]);
    return { flags: new Map(flags), etag: response.headers.get('etag'), stream: streamOf(endpoint, body) };
  } catch (error) {
    if (error instanceof FetchFailure) throw error;
    throw new FetchFailure(ended.signal.aborted ? `no answer within ${timeoutMs} ms` : String(error), false);
  } finally {
    clearTimeout(timer);
  }
}

function refusal({ status, headers }: Response, body: unknown): FetchFailure {
  const said = isRecord(body) && typeof body.errorDetails === 'string' ? `: ${body.errorDetails}` : '';
  const seconds = Number(headers.get('retry-after') ?? 0);
  const isDenied = status === 401 || status === 403;
  const what = isDenied ? 'the server does not accept this key' : 'the server could not answer';
  return new FetchFailure(`${what} (${status})${said}`, isDenied, seconds > 0 ? Math.min(seconds, 300) * 1_000 : 0);
}

function streamOf(endpoint: string, { eventStreams }: Readonly<Record<string, unknown>>): StreamPlace | undefined {
  const streams: readonly unknown[] = Array.isArray(eventStreams) ? eventStreams : [];
  for (const stream of streams) {
    if (!isRecord(stream) || stream.type !== 'sse' || !isRecord(stream.endpoint)) continue;
    const { requestUri } = stream.endpoint;
    if (typeof requestUri !== 'string') continue;
    const seconds = typeof stream.inactivityDelaySec === 'number' ? stream.inactivityDelaySec : 120;
    return { url: requestUri.startsWith('/') ? endpoint + requestUri : requestUri, inactivityMs: seconds * 1_000 };
  }
  return undefined;
}

function isFlag(value: unknown): value is FlagAnswer {
  return isRecord(value) && typeof value.key === 'string';
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keys of the flags that differ. */
export function changedFlags(before: Answers | undefined, after: Answers): string[] {
  const keys = new Set([...(before?.flags.keys() ?? []), ...after.flags.keys()]);
  const text = (answers: Answers | undefined, key: string) => JSON.stringify(answers?.flags.get(key));
  return [...keys].filter((key) => text(before, key) !== text(after, key));
}
