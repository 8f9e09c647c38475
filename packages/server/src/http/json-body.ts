import { type AnyRoute, type BodyLimit, bodyLimits } from '@fanion/contract';
import { z } from 'zod';
import { fail } from '../platform/fail.ts';
import { refuseUnstorable } from './storable.ts';

/**
 * Deepest nesting of a body. All stored JSON passes through here, and code that walks or prints it uses the stack: a
 * value that cannot be printed could never be read, changed or deleted.
 */
export const maxJsonDepth = 100;
/** Problems that an answer lists. */
const maxDetails = 50;
/** In a body with more values, checking stops at the first invalid item of a list: each problem costs more than a value. */
const fewValues = 500;

/** The limit of a route's JSON body. `FANION_MAX_BODY_BYTES` lowers it. */
export function limitOf({ bodyLimit }: Pick<AnyRoute, 'bodyLimit'>, maxBodyBytes: number): BodyLimit {
  const limit = bodyLimits[bodyLimit];
  return { ...limit, bytes: Math.min(limit.bytes, maxBodyBytes) };
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;

/** Bodies up to this size are read on the thread that evaluates flags, in about a millisecond for each 64 KiB. */
const inlineBytes = 64 * 1024;

/**
 * Where a body is parsed and checked. Those of most routes have so few values that their bytes hardly matter, and stay on the
 * event loop.
 */
export function placeOf({ bodyLimit }: Pick<AnyRoute, 'bodyLimit'>, bytes: number): 'event loop' | 'thread' {
  return isLarge(bodyLimit) && bytes > inlineBytes ? 'thread' : 'event loop';
}

/** Limits beyond that of ordinary bodies. */
export function isLarge(bodyLimit: AnyRoute['bodyLimit']): boolean {
  return bodyLimit !== 'small' && bodyLimit !== 'ordinary';
}

/**
 * JSON as data: `__proto__` and `constructor` become ordinary own keys, which strict schemas reject by name, so no request
 * can reach a prototype. An empty body counts as no body. Its shape is checked before anything walks it: one object of
 * 20,000 members kept a schema busy for a second.
 */
export function parseJson(bytes: Uint8Array, limit: BodyLimit): unknown {
  if (bytes.length === 0) return undefined;
  if (hasMoreCommas(bytes, limit.values)) throw fail('BODY_TOO_COMPLEX', { limit: limit.values, what: 'values' });
  let body: unknown;
  try {
    body = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  } catch (error) {
    throw fail('MALFORMED_BODY', { reason: (error as Error).message.slice(0, 200) });
  }
  refuseShape(body, limit);
  return body;
}

/**
 * Whether JSON text has more values than this, told from the commas outside of its strings, so that a body of many small values is
 * refused before it is parsed: parsing 250 KiB of them takes 20 ms, reading as many commas as are allowed some microseconds.
 */
export function hasMoreCommas(json: Uint8Array, values: number): boolean {
  let commas = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) isInString = !isInString;
    else if (isInString) {
      if (byte === backslash) at++;
    } else if (byte === comma && ++commas >= values) return true;
  }
  return false;
}

/** Throws `JSON_TOO_DEEP` and `BODY_TOO_COMPLEX`. */
export function refuseShape(body: unknown, { values, members }: Pick<BodyLimit, 'values' | 'members'>): void {
  let seen = 0;
  const walk = (value: unknown, depth: number): void => {
    if (++seen > values) throw fail('BODY_TOO_COMPLEX', { limit: values, what: 'values' });
    if (typeof value !== 'object' || value === null) return;
    if (depth >= maxJsonDepth) throw fail('JSON_TOO_DEEP', { limit: maxJsonDepth });
    if (Array.isArray(value)) {
      for (const item of value) walk(item, depth + 1);
      return;
    }
    const names = Object.keys(value);
    if (names.length > members) throw fail('BODY_TOO_COMPLEX', { limit: members, what: 'members in one object' });
    for (const name of names) walk((value as Readonly<Record<string, unknown>>)[name], depth + 1);
  };
  walk(body, 0);
}

/** The body as its route declares it. Throws `INVALID_INPUT`. */
export function checkBody(route: AnyRoute, body: unknown): unknown {
  // A route without a body ignores the body, since some clients always send one.
  if (route.body instanceof z.ZodUndefined) return undefined;
  // Not `safeParse`: its error formats every problem, and a body of a megabyte can have 100,000.
  const context = { async: false, abortEarly: hasMoreValues(body, fewValues) };
  const checked = route.body._zod.run({ value: body, issues: [] }, context) as z.core.ParsePayload;
  if (checked.issues.length === 0) {
    // A login stores nothing, and answers every wrong password alike.
    if (!route.reads && route.auth !== 'public') refuseUnstorable(checked.value);
    return checked.value;
  }
  const issues = checked.issues
    .slice(0, maxDetails)
    .map((issue) => z.core.util.finalizeIssue(issue, context, z.core.config()));
  const { reason, details } = describe(issues);
  throw fail('INVALID_INPUT', { reason }, { details });
}

export function describe(issues: readonly z.core.$ZodIssue[]): {
  reason: string;
  details: { path: string; message: string }[];
} {
  const details = issues
    .slice(0, maxDetails)
    .map(innermost)
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  const first = details[0];
  return { reason: first ? `${first.path ? `${first.path}: ` : ''}${first.message}` : 'unknown', details };
}

/**
 * What is wrong with a value of several forms is told of the form that it comes closest to: zod itself says no more than
 * `Invalid input` there, and `Invalid key in record` of a key.
 */
function innermost(issue: z.core.$ZodIssue): { path: readonly PropertyKey[]; message: string } {
  if (issue.code === 'invalid_key') return { path: issue.path, message: issue.issues[0]?.message ?? issue.message };
  if (issue.code !== 'invalid_union' || issue.message !== 'Invalid input') return issue;
  const forms = issue.errors.flatMap(([first]) => (first === undefined ? [] : [innermost(first)]));
  const deepest = Math.max(...forms.map(({ path }) => path.length));
  const closest = forms.filter(({ path }) => path.length === deepest);
  const messages = [...new Set(closest.map(({ message }) => message))];
  const path = [...issue.path, ...(closest[0]?.path ?? [])];
  return messages.length === 0 ? issue : { path, message: messages.join(', or ') };
}

/** Whether a value has more values in it, itself included. Stops counting there. */
export function hasMoreValues(body: unknown, most: number): boolean {
  let left = most;
  const walk = (value: unknown): void => {
    if (--left < 0 || typeof value !== 'object' || value === null) return;
    for (const inner of Object.values(value)) {
      if (left < 0) return;
      walk(inner);
    }
  };
  walk(body);
  return left < 0;
}
