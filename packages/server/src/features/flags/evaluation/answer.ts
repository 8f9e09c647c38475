import { randomUUID } from 'node:crypto';
import type { BodyLimit } from '@fanion/contract';
import { errorBody } from '../../../http/envelope.ts';
import type { RawAnswer, RawHeaders, RawRequest } from '../../../http/raw.ts';
import { type Failure, fail } from '../../../platform/fail.ts';

export type Answer = RawAnswer;

const requestIdForm = /^[\w.-]{1,100}$/;
const jsonType = /^application\/json\b/i;

/** As everywhere in the API: the client's own id if it is well-formed. */
function requestIdOf(headers: RawHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID();
}

/** The body of a request; undefined if it is empty. Throws a `Failure` for an unsupported or malformed body. */
export function bodyOf({ body, headers }: RawRequest, { bytes }: Pick<BodyLimit, 'bytes'>): unknown {
  if (body === undefined || body.length > bytes) throw fail('BODY_TOO_LARGE', { limit: bytes });
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity')
    throw fail('UNSUPPORTED_MEDIA_TYPE', { type: `Content-Encoding: ${coding.slice(0, 100)}` });
  const type = headers['content-type'];
  if (type !== undefined && !jsonType.test(type)) throw fail('UNSUPPORTED_MEDIA_TYPE', { type: type.slice(0, 100) });
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw fail('MALFORMED_BODY', { reason: error instanceof Error ? error.message.slice(0, 200) : 'unknown' });
  }
}

/** JSON text in the envelope of the API. */
export function data(text: string, headers: RawHeaders): Answer {
  return { status: 200, body: `{"data":${text},"error":null,"meta":{"request_id":"${requestIdOf(headers)}"}}` };
}

export function envelope(failure: Failure, headers: RawHeaders): Answer {
  return {
    status: failure.status,
    body: JSON.stringify({ data: null, error: errorBody(failure), meta: { request_id: requestIdOf(headers) } }),
  };
}

export function withHeaders(answer: Answer, headers: Readonly<Record<string, string>> | undefined): Answer {
  return headers === undefined ? answer : { ...answer, headers: { ...answer.headers, ...headers } };
}
