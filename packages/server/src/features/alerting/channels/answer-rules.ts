import type { EgressAnswer } from '../../../platform/egress/index.ts';
import type { Attempt } from '../notification.ts';

/** The answer of a receiver. */
export type ChannelAnswer = Omit<EgressAnswer, 'body' | 'end'> & { readonly body: string };

/** An answer whose text can be stored: U+0000 cannot. */
export function textAnswer({ status, headers, body }: EgressAnswer): ChannelAnswer {
  return { status, headers, body: body.toString().replaceAll('\0', '\uFFFD') };
}

/** The longest wait that a receiver may ask for. */
const maxRetryAfterMs = 3_600_000;

/**
 * What an answer means: 2xx is delivered, 429 and 5xx can be tried again, everything else is final. Redirects are not
 * followed: they would lead a secret elsewhere.
 */
export function attemptOf({ status, headers, body }: ChannelAnswer, nowMs: number): Attempt {
  if (status >= 200 && status < 300) return { kind: 'delivered', status, answer: body };
  if (status === 429 || status >= 500) {
    const retryAfterMs = retryAfterOf(headers['retry-after'], nowMs);
    return {
      kind: 'retry',
      status,
      error: `HTTP ${status}`,
      answer: body,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }
  const error = status >= 300 && status < 400 ? `HTTP ${status}: redirects are not followed` : `HTTP ${status}`;
  return { kind: 'final', status, error, answer: body };
}

/** Seconds or a date (RFC 9110, 10.2.3), as milliseconds from now. */
export function retryAfterOf(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  // Discord sends fractions of a second.
  const ms = /^\d{1,9}(\.\d+)?$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(maxRetryAfterMs, Math.max(0, Math.ceil(ms)));
}
