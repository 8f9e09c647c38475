import { operatorOf } from './operators/index.ts';
import type { ReadAs } from './ruleset.ts';

/** The part of a clause that defines the comparison. */
interface ClauseForm {
  readonly op: string;
  readonly as?: string | undefined;
  readonly ignore_case?: boolean | undefined;
  readonly context_kind?: string | undefined;
}

const READINGS: ReadonlySet<string> = new Set<ReadAs>(['number', 'text', 'version', 'size']);

/** The problem of `as` or `ignore_case` with this operator; undefined if they are meaningful. */
export function wrongForm({
  op,
  as,
  ignore_case,
  context_kind,
}: ClauseForm): { field: string; message: string } | undefined {
  if (op === 'in_segment' && context_kind !== undefined) {
    return { field: 'context_kind', message: 'must be left out: "in_segment" looks at the whole context' };
  }
  const compares = operatorOf(op)?.compares;
  if (as !== undefined && !READINGS.has(as)) {
    return { field: 'as', message: `must be one of ${[...READINGS].join(', ')}` };
  }
  if (as === 'version' && !op.startsWith('semver_')) {
    return { field: 'as', message: `"${op}" does not compare versions` };
  }
  if (as === 'text' && compares !== 'any' && compares !== 'text') {
    return { field: 'as', message: `"${op}" does not compare texts` };
  }
  if ((as === 'number' || as === 'size') && compares !== 'any' && compares !== 'number') {
    return { field: 'as', message: `"${op}" does not compare numbers` };
  }
  if (ignore_case === true && operatorOf(op)?.foldsCase !== true) {
    return { field: 'ignore_case', message: `"${op}" does not compare letters` };
  }
  return undefined;
}
