import { type CompiledRuleset, type Ruleset, timeTag } from '@fanion/flag-engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SdkCaller } from '../../../http/caller.ts';
import type { RawAnswer, RawHeaders } from '../../../http/raw.ts';
import { runInSlices } from '../../../platform/breath.ts';
import type { Steps } from '../../../platform/steps.ts';
import { fingerprint } from './fingerprint.ts';
import { matchesTag } from './ofrep.ts';

/** Converts a ruleset once, for all streams and requests that send it, while others are served. */
export function perRuleset<T>(convert: (ruleset: Ruleset) => Steps<T>): (ruleset: Ruleset) => Promise<T> {
  const known = new WeakMap<Ruleset, Promise<T>>();
  return (ruleset) => {
    const made = known.get(ruleset) ?? runInSlices(convert(ruleset));
    known.set(ruleset, made);
    return made;
  };
}

/** The tag of what depends on the ruleset of an environment alone. */
export function rulesetTag(environmentId: string, { version }: Pick<Ruleset, 'version'>): string {
  return `"${environmentId}-${version}"`;
}

/** A text that differs where what an environment serves can differ. @param asked what the request says, as text */
export function stateOf({ environmentId, keyKind }: SdkCaller, compiled: CompiledRuleset, asked: string): string {
  const of = fingerprint(Buffer.from(asked));
  return `${environmentId}-${compiled.version}-${of}${timeTag(compiled)}-${keyKind}`;
}

/** Sends JSON with its tag, or 304 to a client that has it. */
export async function sendTagged(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  tag: string,
  json: () => string | Promise<string>,
): Promise<undefined> {
  reply.header('etag', tag).header('cache-control', 'private, no-cache');
  if (matchesTag(request.headers['if-none-match'], tag)) reply.code(304).send();
  else reply.type('application/json; charset=utf-8').send(await json());
  return undefined;
}

/** JSON with its tag, or 304 for a client that has it. */
export function taggedAnswer(
  { 'if-none-match': ifNoneMatch }: Pick<RawHeaders, 'if-none-match'>,
  tag: string,
  json: () => RawAnswer['body'],
): RawAnswer {
  const headers = { etag: tag, 'cache-control': 'private, no-cache' };
  if (matchesTag(ifNoneMatch, tag)) return { status: 304, body: '', headers };
  return { status: 200, body: json(), headers };
}
