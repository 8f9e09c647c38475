import { contextLimits } from '@fanion/contract';
import { status } from '@grpc/grpc-js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ContextBudget } from '../../features/flags/evaluation/index.ts';
import type { Credentials, SdkCaller } from '../../http/caller.ts';
import { discardBody } from '../../http/discard.ts';
import { asBearer } from '../../http/identify.ts';
import { readBody } from '../../http/raw.ts';
import { unzipped } from '../../http/unpack.ts';
import { fail } from '../../platform/fail.ts';
import { messageOf } from '../../platform/message-of.ts';
import { type Compression, codeOfHttp, contentTypes } from './connect-rules.ts';
import { credentialsBy } from './grpc-server.ts';
import { Refusal, requireSize } from './resolve-rules.ts';

/** Answers a content type that the method does not take. */
export function refuseType(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  kind: keyof typeof contentTypes,
): FastifyReply {
  discardBody(raw);
  const { json, proto } = contentTypes[kind];
  const message = `unsupported Content-Type: use ${json} or ${proto}`;
  reply.code(415).header('accept-post', `${json}, ${proto}`).type('application/json');
  return reply.send(JSON.stringify({ code: codeOfHttp(415), message }));
}

/** As everywhere for SDKs of other products, the key may be the password of Basic: some providers send nothing but what is in their address. */
export function credentialsOf(headers: Readonly<Record<string, unknown>>): Credentials {
  const { authorization, ...others } = credentialsBy((name) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  });
  return { ...others, authorization: asBearer(authorization) };
}

/** The body of a request as it was sent. @throws Refusal, `BODY_TOO_LARGE` and `BODIES_LIMITED` */
export async function bodyOf({ raw }: FastifyRequest, caller: SdkCaller, budget: ContextBudget): Promise<Buffer> {
  const declared = Number(raw.headers['content-length'] ?? 0);
  requireSize({ length: declared }, caller);
  const refusal = budget.refusalOf(caller, declared);
  if (refusal !== undefined) throw refusal;
  const limit = contextLimits[caller.keyKind].bytes;
  const body = await new Promise<Buffer | undefined>((found) => readBody(raw, limit, found));
  if (body === undefined) throw fail('BODY_TOO_LARGE', { limit });
  return body;
}

/** @throws `BODY_TOO_LARGE` and `MALFORMED_BODY` */
export async function unpacked(message: Buffer, compression: Compression, { keyKind }: SdkCaller): Promise<Buffer> {
  return compression === 'gzip' ? unzipped(message, contextLimits[keyKind].bytes) : message;
}

/** @throws Refusal */
export function parsed(message: Buffer): unknown {
  try {
    return JSON.parse(message.toString('utf8'));
  } catch (error) {
    throw new Refusal(status.INVALID_ARGUMENT, `malformed JSON: ${messageOf(error).slice(0, 200)}`);
  }
}
