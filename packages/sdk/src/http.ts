import type { Ruleset } from '@fanion/flag-engine';
import { createDeadline } from './deadline.ts';
import { failureOf, ServerFailure } from './failure.ts';
import type { Settings } from './options.ts';
import { isRecord, isRuleset } from './ruleset.ts';

/** The whole of one request for the ruleset, the body included. */
const REQUEST_TIMEOUT_MS = 10_000;
/** A proxy's answer may ask for any time; more than this is not waited. */
const MAX_RETRY_AFTER_MS = 300_000;

export interface FetchedRuleset {
  readonly ruleset: Ruleset;
  readonly etag: string | undefined;
}

/**
 * GET `/api/v1/sdk/flags/ruleset`.
 *
 * @param etag of the ruleset held; undefined fetches it in any case
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
    const response = await settings.fetch(`${settings.endpoint}/api/v1/sdk/flags/ruleset`, {
      headers: {
        ...headersOf(settings),
        accept: 'application/json',
        ...(etag !== undefined && { 'if-none-match': etag }),
      },
      signal: deadline.signal,
    });
    if (response.status === 304) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok) throw await refusal(response);
    const body: unknown = await response.json();
    const ruleset = isRecord(body) ? body.data : undefined;
    if (!isRuleset(ruleset)) throw new ServerFailure('unavailable', 'what the server answered is no ruleset');
    return { ruleset, etag: response.headers.get('etag') ?? undefined };
  } catch (error) {
    throw failureOf(error);
  } finally {
    deadline.end();
  }
}

export function headersOf(settings: Settings): Record<string, string> {
  return { authorization: `Bearer ${settings.sdkKey}`, 'user-agent': `fanion-sdk-node Node/${process.versions.node}` };
}

/** What an answer that is not of the 200s says. Takes its body. */
export async function refusal(response: Response): Promise<ServerFailure> {
  const body: unknown = await response.json().catch(() => undefined);
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const said = typeof error.message === 'string' ? `: ${error.message}` : '';
  const denied = response.status === 401 || response.status === 403;
  const what = denied ? 'the server does not accept this SDK key' : 'the server could not answer';
  return new ServerFailure(
    denied ? 'denied' : 'unavailable',
    `${what} (${response.status})${said}`,
    retryAfterMs(response.headers.get('retry-after')),
  );
}

function retryAfterMs(header: string | null): number | undefined {
  const seconds = header === null || header.trim() === '' ? Number.NaN : Number(header);
  return seconds >= 0 ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : undefined;
}
