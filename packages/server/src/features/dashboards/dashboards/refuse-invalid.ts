import { fail } from '../../../platform/fail.ts';
import type { Compiler } from '../../../platform/gateway/index.ts';
import { loopProblems, type ModelLimits, problemsOf } from './model-rules.ts';
import { variablesInPromql } from './promql-rules.ts';

/** More would make the answer larger than the request. */
const maxDetails = 50;

type Model = Parameters<typeof problemsOf>[0];

/**
 * Throws `DASHBOARD_INVALID` with what is wrong with panels and variables beyond their form. Queries of variables are read in
 * the compiler's threads: those of 50 variables took up to 170 ms.
 */
export async function refuseInvalid(
  model: Model,
  limits: ModelLimits,
  compiler: Pick<Compiler, 'variablesIn'>,
  asked: Parameters<Compiler['variablesIn']>[1],
): Promise<void> {
  refuse(problemsOf(model, limits));
  const uses = new Map<string, readonly string[]>();
  for (const { name, type, query, query_language } of model.variables) {
    if (type !== 'query' || query === undefined) uses.set(name, []);
    else if (query_language === 'promql') uses.set(name, variablesInPromql(query));
    else uses.set(name, query.includes('$') ? await compiler.variablesIn(query, asked) : []);
  }
  refuse(loopProblems(uses));
}

function refuse(problems: ReturnType<typeof problemsOf>): void {
  const [first] = problems;
  if (first === undefined) return;
  const reason = `${first.path}: ${first.message}`;
  throw fail('DASHBOARD_INVALID', { reason }, { details: problems.slice(0, maxDetails) });
}
