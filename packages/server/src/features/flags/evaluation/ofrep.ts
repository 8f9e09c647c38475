import {
  type CompiledRuleset,
  type EvaluationContext,
  type Outcome,
  ofrepError,
  ofrepFragments,
  timeTag,
} from '@fanion/flag-engine';
import type { Failure } from '../../../platform/fail.ts';
import type { Answer } from './answer.ts';
import { fingerprint } from './fingerprint.ts';
import { joined } from './joined.ts';

/** OFREP 0.3, single flag: `200` with the resolution, or `400`/`404` with the error. */
export function ofrepEvaluation(outcome: Outcome, context: EvaluationContext): Answer {
  const { error } = outcome.evaluation;
  const targetingKey = typeof context.targetingKey === 'string' ? JSON.stringify(context.targetingKey) : undefined;
  return { status: error === undefined ? 200 : ofrepError(error.code).status, body: outcome.ofrep(targetingKey) };
}

export interface BulkQuestion {
  readonly ruleset: CompiledRuleset;
  readonly environmentId: string;
  readonly context: EvaluationContext;
  /** The request's body, which contains the context. */
  readonly body: Uint8Array | undefined;
  readonly ifNoneMatch: string | undefined;
  /** JSON text. */
  readonly eventStreams: string;
}

/**
 * OFREP 0.3, all flags. The tag covers the environment, its version, the request's body, and the time if rules compare
 * it, so it never matches for another context or key. It does not cover the ticket in `eventStreams`: a client whose
 * flags have not changed keeps its stream.
 */
export function ofrepEvaluations(question: BulkQuestion): Answer {
  const { ruleset, environmentId, context, body, ifNoneMatch, eventStreams } = question;
  // Both kinds of keys may see different flags at the same URL.
  const view = ruleset.flags === ruleset.required ? '' : '-c';
  const tag = `"${environmentId}-${ruleset.version}-${fingerprint(body ?? nothing)}${timeTag(ruleset)}${view}"`;
  const headers = { etag: tag };
  if (matchesTag(ifNoneMatch, tag)) return { status: 304, body: '', headers };
  const contextId =
    typeof context.targetingKey === 'string' ? `,"contextId":${JSON.stringify(context.targetingKey)}` : '';
  const metadata = `{"version":"${ruleset.version}","flagSetId":${JSON.stringify(ruleset.flagSetId)}${contextId}}`;
  const end = `],"metadata":${metadata},"eventStreams":${eventStreams}}`;
  return { status: 200, headers, body: joined('{"flags":[', ofrepFragments(ruleset, context), end) };
}

const nothing = new Uint8Array();

/** RFC 9110 §13.1.2, weak comparison. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}

/** A failure outside of evaluation, as an OFREP body, with the key if the path names one flag. */
export function ofrepProblem(
  status: number,
  problem: { code: string; message: string },
  key: string | undefined,
): Answer {
  return {
    status,
    body: JSON.stringify({
      ...(key !== undefined && { key }),
      errorCode: problem.code,
      errorDetails: problem.message,
      reason: 'ERROR',
    }),
  };
}

/** Converts a failure to the form of OFREP. */
export function ofrepFailure(failure: Failure, key: string | undefined): Answer {
  return ofrepProblem(
    failure.status,
    { code: failure.error === 'MALFORMED_BODY' ? 'PARSE_ERROR' : 'GENERAL', message: failure.message },
    key,
  );
}
