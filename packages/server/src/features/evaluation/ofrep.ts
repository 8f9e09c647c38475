import { createHash } from 'node:crypto';
import { type CompiledRuleset, type EvaluationContext, ofrepError, ofrepFlags, resolve } from '@fanion/flag-engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toFailure } from '../../http/envelope.ts';

const json = 'application/json; charset=utf-8';

/** OFREP 0.3, single flag: `200` with the resolution, or `400`/`404` with the error. */
export function sendEvaluation(
  reply: FastifyReply,
  ruleset: CompiledRuleset,
  key: string,
  context: EvaluationContext,
): void {
  const outcome = resolve(ruleset, key, context);
  const { error } = outcome.evaluation;
  const targetingKey = typeof context.targetingKey === 'string' ? JSON.stringify(context.targetingKey) : undefined;
  reply
    .code(error === undefined ? 200 : ofrepError(error.code).status)
    .header('content-type', json)
    .send(outcome.ofrep(targetingKey));
}

/**
 * OFREP 0.3, all flags. The tag is of the environment, its version and the context: the same tag under another
 * context or key never means "not modified".
 */
export function sendEvaluations(
  request: FastifyRequest,
  reply: FastifyReply,
  environmentId: string,
  ruleset: CompiledRuleset,
  context: EvaluationContext,
): void {
  const tag = `"${environmentId}-${ruleset.version}-${createHash('sha1').update(JSON.stringify(context)).digest('base64url')}"`;
  reply.header('etag', tag);
  if (matchesTag(request.headers['if-none-match'], tag)) {
    reply.code(304).send();
    return;
  }
  const contextId =
    typeof context.targetingKey === 'string' ? `,"contextId":${JSON.stringify(context.targetingKey)}` : '';
  reply
    .header('content-type', json)
    .send(
      `{"flags":${ofrepFlags(ruleset, context)},"metadata":{"version":"${ruleset.version}","flagSetId":${JSON.stringify(ruleset.flagSetId)}${contextId}}}`,
    );
}

/** RFC 9110 §13.1.2, weak comparison. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}

/** A failure before or beside evaluation, in an OFREP body: of one flag where the path names one. */
export function sendOfrepProblem(
  reply: FastifyReply,
  status: number,
  problem: { code: string; message: string },
  key: string | undefined,
): FastifyReply {
  return reply
    .code(status)
    .header('content-type', json)
    .send(
      JSON.stringify({ ...(key !== undefined && { key }), errorCode: problem.code, errorDetails: problem.message }),
    );
}

/** The edge of OFREP: whatever is thrown, in its protocol's form. */
export function sendOfrepFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error, request);
  if (failure.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(Math.ceil(failure.retryAfterSeconds)));
  if (failure.status === 401) reply.header('www-authenticate', 'Bearer');
  const code = failure.error === 'MALFORMED_BODY' ? 'PARSE_ERROR' : 'GENERAL';
  return sendOfrepProblem(
    reply,
    failure.status,
    { code, message: failure.message },
    (request.params as { key?: string } | undefined)?.key,
  );
}
