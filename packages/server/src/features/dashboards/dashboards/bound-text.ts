import { type BoundVariable, bindVariables } from '@fanion/oql';
import { type Failure, fail } from '../../../platform/fail.ts';
import { type Compiler, shortCharacters } from '../../../platform/gateway/index.ts';

export type Bind = (query: string, bound: ReadonlyMap<string, BoundVariable>) => Promise<string | Failure>;

/** Longer texts are not searched for variables and not split: a pass over 16 KiB takes about 10 ms. */
export const longestWithVariables = 16_384;
/** Each value is written into the query at least once, and a query has at most this many. */
const mostCharacters = 65_536;

/**
 * Writes the values of variables into a query, in a thread of the compiler: 625 conditions with 90 values each took 1.7 s of
 * processor time. Resolves with `VARIABLE_INVALID` if it cannot; throws as the compiler does.
 */
export function createBind(
  compiler: Pick<Compiler, 'bindVariables'>,
  asked: { readonly workspace: number; readonly signal: AbortSignal },
): Bind {
  return async (query, bound) => {
    if (!query.includes('$')) return query;
    if (query.length > longestWithVariables)
      return fail('VARIABLE_INVALID', {
        reason: `a query with variables has at most ${longestWithVariables} characters`,
      });
    const named = new Map([...bound].filter(([name]) => query.includes(name)));
    const characters = charactersOf(named.values());
    if (characters > mostCharacters)
      return fail('VARIABLE_INVALID', {
        reason: `the values of its variables have more than ${mostCharacters} characters: choose fewer values`,
      });
    // Several values repeat their condition, so that the query grows.
    const isSmall = query.length + characters <= shortCharacters && [...named.values()].every(isSingle);
    const result = isSmall ? bindVariables(query, named) : await compiler.bindVariables(query, named, asked);
    return result.ok ? result.text : fail('VARIABLE_INVALID', { reason: result.reason });
  };
}

const isSingle = (variable: BoundVariable) => variable.kind !== 'values' || variable.values.length <= 1;

/** Stops counting beyond `mostCharacters`. */
function charactersOf(variables: Iterable<BoundVariable>): number {
  let sum = 0;
  for (const variable of variables) {
    if (variable.kind !== 'values') continue;
    for (const value of variable.values) {
      sum += String(value).length;
      if (sum > mostCharacters) return sum;
    }
  }
  return sum;
}
