import type { Compiled } from '@fanion/oql';
import { fail } from '../../../platform/fail.ts';
import { boundParameters, type Compiler, scopeToCompile } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';

export type ConditionSource = 'spans' | 'logs';

/** The compiler, and the caller whose budget it uses. */
export interface CompilerCall {
  readonly compiler: Compiler;
  readonly workspace: number;
  readonly signal: AbortSignal;
}

/**
 * A condition of OQL's `where`, in parentheses, to be inserted into a query. Throws `OQL_INVALID` with positions within
 * the text for an invalid condition, also for text that ends the stage and starts another.
 * @param source a signal, or a valid query up to the rows that the condition is about
 * @param path of the field of the input, for the details
 * @param stagesBefore the number of stages of the source
 */
export async function checkedCondition(
  source: string,
  text: string,
  path: string,
  { compiler, ...asked }: CompilerCall,
  stagesBefore = 0,
): Promise<string> {
  // The line break ends a comment.
  const before = `${source}\n| where (`;
  const whole = `${before}${text}\n)`;
  const { valid, diagnostics, stages } = await compiler.validate(whole, {}, asked);
  if (!valid) {
    const moved = diagnostics.map((diagnostic) => {
      const within = (offset: number) => Math.max(0, Math.min(text.length, offset - before.length));
      const [start, end] = [within(diagnostic.span.start), within(diagnostic.span.end)];
      const lines = text.slice(0, start).split('\n');
      const span = { start, end, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
      // An error at the closing parenthesis means that the condition ended before it.
      const isAtEnd = diagnostic.span.start - before.length > text.length;
      const message = isAtEnd ? 'The condition ends too early.' : diagnostic.message;
      const { suggestion: _, ...rest } = diagnostic;
      return { path, ...rest, message, span };
    });
    const first = moved.find(({ severity }) => severity === 'error');
    throw fail('OQL_INVALID', { reason: first?.message ?? 'unknown' }, { details: moved });
  }
  if (stages !== stagesBefore + 1) {
    const message = 'A condition is expected here, as after `where`; it has no further stages.';
    throw fail('OQL_INVALID', { reason: message }, { details: [{ path, message, severity: 'error' }] });
  }
  return `(${text}\n)`;
}

/** Compiles a query that was built from validated conditions. Throws `OQL_INVALID`. */
export async function compileFor(
  text: string,
  { scope, window, limit, nowMs }: { scope: TelemetryScope; window: Window; limit: number; nowMs: number },
  { compiler, signal }: Pick<CompilerCall, 'compiler' | 'signal'>,
): Promise<Compiled & { readonly values: Readonly<Record<string, unknown>> }> {
  const result = await compiler.compile(
    text,
    { scope: scopeToCompile(scope), window, limit, nowNs: BigInt(nowMs) * 1_000_000n, asTable: true },
    { workspace: scope.workspace, signal },
  );
  if (!result.ok) {
    const first = result.diagnostics.find(({ severity }) => severity === 'error');
    throw fail('OQL_INVALID', { reason: first?.message ?? 'unknown' });
  }
  return { ...result, values: boundParameters(result.params) };
}
