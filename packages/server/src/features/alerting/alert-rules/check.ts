import { mapInSlices } from '../../../platform/breath.ts';
import { fail } from '../../../platform/fail.ts';
import { type Gateway, invalidQuery, scopeToCompile } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { parseQuery, ruleProblem } from '../../telemetry/promql/index.ts';
import { templateIssue } from '../templates/index.ts';
import type { Issue } from './definition-rules.ts';
import { requireShape, Unanswerable } from './evaluate.ts';

/** Throws `PROMQL_INVALID` for an expression that is not valid, and `ALERT_RULE_INVALID` for one that returns no numbers. */
export function checkExpression(query: string): void {
  const problem = ruleProblem(parseQuery(query));
  if (problem !== undefined)
    throw fail('ALERT_RULE_INVALID', { reason: problem }, { details: [{ path: 'query', message: problem }] });
}

/**
 * Throws `OQL_INVALID` for a query that does not compile, and `ALERT_RULE_INVALID` for one whose answers are not one number
 * per row, which names its own window, or
 * which waits by itself.
 * @param isUnchanged the query of a rule that may be older than the check for windows
 */
export async function checkQuery(
  gateway: Gateway,
  scope: TelemetryScope,
  query: string,
  { nowMs, isUnchanged, signal }: { nowMs: number; isUnchanged: boolean; signal: AbortSignal },
): Promise<void> {
  const toNs = BigInt(nowMs) * 1_000_000n;
  const compiled = await gateway.compiler.compile(
    query,
    { scope: scopeToCompile(scope), window: { fromNs: toNs - 60_000_000_000n, toNs }, limit: 1, nowNs: toNs },
    { workspace: scope.workspace, signal },
  );
  if (!compiled.ok) throw invalidQuery(compiled.diagnostics);
  try {
    // First: it groups by time, which a rule refuses in other words.
    if (compiled.holds)
      throw new Unanswerable(
        "The query waits with `where … for`, and so does a rule. Leave out `for` in the query, and set the rule's own `for`.",
      );
    if (compiled.showsContext)
      throw new Unanswerable('`context` adds the records around matches, for people to read. Leave it out in a rule.');
    requireShape(compiled);
    if (compiled.changes)
      throw new Unanswerable(
        '`changes` shows each person what they may read, so only people can query it. Use another source in a rule.',
      );
    if (compiled.namesWindow && !isUnchanged)
      throw new Unanswerable(
        'The query names its own window. Leave out `from …;`: the rule asks it for the time of each evaluation, as long as `window`.',
      );
  } catch (error) {
    if (!(error instanceof Unanswerable)) throw error;
    throw fail(
      'ALERT_RULE_INVALID',
      { reason: error.message },
      { details: [{ path: 'query', message: error.message }] },
    );
  }
}

/** The annotations whose templates can never be rendered; one that stays as it was is not among them. */
export async function checkAnnotations(
  annotations: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
): Promise<Issue[]> {
  const changed = Object.entries(annotations).filter(([name, text]) => before[name] !== text);
  const issues = await mapInSlices(changed, ([name, text]) => ({
    path: `annotations.${name}`,
    message: templateIssue(text),
  }));
  return issues.flatMap(({ path, message }) => (message === undefined ? [] : [{ path, message }]));
}
