import { createHash } from 'node:crypto';
import {
  type CompiledRuleset,
  type EvaluationContext,
  type Outcome,
  ofrepError,
  ofrepFlags,
} from '@fanion/flag-engine';
import type { Failure } from '../../platform/fail.ts';
import type { Answer } from './answer.ts';

/** OFREP 0.3, single flag: `200` with the resolution, or `400`/`404` with the error. */
export function ofrepEvaluation(outcome: Outcome, context: EvaluationContext): Answer {
  const { error } = outcome.evaluation;
  const targetingKey = typeof context.targetingKey === 'string' ? JSON.stringify(context.targetingKey) : undefined;
  return { status: error === undefined ? 200 : ofrepError(error.code).status, body: outcome.ofrep(targetingKey) };
}

/**
 * OFREP 0.3, all flags. The tag is of the environment, its version and the context: the same tag under another
 * context or key never means "not modified". It leaves the ticket in `eventStreams` out: a client whose flags have not
 * changed keeps the stream that it has.
 */
export function ofrepEvaluations(
  ruleset: CompiledRuleset,
  environmentId: string,
  context: EvaluationContext,
  ifNoneMatch: string | undefined,
  eventStreams: string,
): Answer {
  const tag = `"${environmentId}-${ruleset.version}-${createHash('sha1').update(JSON.stringify(context)).digest('base64url')}"`;
  const headers = { etag: tag };
  if (matchesTag(ifNoneMatch, tag)) return { status: 304, body: '', headers };
  const contextId =
    typeof context.targetingKey === 'string' ? `,"contextId":${JSON.stringify(context.targetingKey)}` : '';
  return {
    status: 200,
    headers,
    body: `{"flags":${ofrepFlags(ruleset, context)},"metadata":{"version":"${ruleset.version}","flagSetId":${JSON.stringify(ruleset.flagSetId)}${contextId}},"eventStreams":${eventStreams}}`,
  };
}

/** RFC 9110 §13.1.2, weak comparison. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}

/** A failure before or beside evaluation, in an OFREP body: of one flag where the path names one. */
export function ofrepProblem(
  status: number,
  problem: { code: string; message: string },
  key: string | undefined,
): Answer {
  return {
    status,
    body: JSON.stringify({ ...(key !== undefined && { key }), errorCode: problem.code, errorDetails: problem.message }),
  };
}

/** The edge of OFREP: a failure of ours in its protocol's form. */
export function ofrepFailure(failure: Failure, key: string | undefined): Answer {
  return ofrepProblem(
    failure.status,
    { code: failure.error === 'MALFORMED_BODY' ? 'PARSE_ERROR' : 'GENERAL', message: failure.message },
    key,
  );
}
