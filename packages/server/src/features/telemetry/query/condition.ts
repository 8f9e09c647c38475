import { type CompileResult, compile, parse, validate } from '@fanion/oql';
import { fail } from '../../../platform/fail.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import { boundParameters } from './bound-parameters.ts';

export type ConditionSource = 'spans' | 'logs';

/**
 * A condition as it stands in OQL's `where`, in brackets and ready to be put into a query of ours.
 * Throws `OQL_INVALID` for what is no condition, with places within the text; what would end the stage and begin another is none.
 * @param path of the field of the input, for the details
 */
export function checkedCondition(source: ConditionSource, text: string, path: string): string {
  const before = `${source} | where (`;
  // The line break ends a comment.
  const whole = `${before}${text}\n)`;
  const { valid, diagnostics } = validate(whole);
  if (!valid) {
    const moved = diagnostics.map((diagnostic) => {
      const within = (offset: number) => Math.max(0, Math.min(text.length, offset - before.length));
      const [start, end] = [within(diagnostic.span.start), within(diagnostic.span.end)];
      const lines = text.slice(0, start).split('\n');
      const span = { start, end, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
      // What is wrong with the bracket behind it is that the condition has ended before.
      const isAtEnd = diagnostic.span.start - before.length > text.length;
      const message = isAtEnd ? 'The condition ends too early.' : diagnostic.message;
      const { suggestion: _, ...rest } = diagnostic;
      return { path, ...rest, message, span };
    });
    const first = moved.find(({ severity }) => severity === 'error');
    throw fail('OQL_INVALID', { reason: first?.message ?? 'unknown' }, { details: moved });
  }
  const stages = parse(whole).query?.pipeline.stages ?? [];
  if (stages.length !== 1) {
    const message = 'A condition is expected here, as after `where`; it has no further stages.';
    throw fail('OQL_INVALID', { reason: message }, { details: [{ path, message, severity: 'error' }] });
  }
  return `(${text}\n)`;
}

/** Compiles a query that we have put together out of checked conditions. Throws `OQL_INVALID`. */
export function compileFor(
  text: string,
  { scope, window, limit, nowMs }: { scope: TelemetryScope; window: Window; limit: number; nowMs: number },
): Extract<CompileResult, { ok: true }> & { readonly values: Readonly<Record<string, unknown>> } {
  const { workspace, project, environment } = scope;
  const result = compile(text, {
    scope: { workspace, ...(project !== undefined && { project }), ...(environment !== undefined && { environment }) },
    window,
    limit,
    nowNs: BigInt(nowMs) * 1_000_000n,
  });
  if (!result.ok) {
    const first = result.diagnostics.find(({ severity }) => severity === 'error');
    throw fail('OQL_INVALID', { reason: first?.message ?? 'unknown' });
  }
  return { ...result, values: boundParameters(result.params) };
}
