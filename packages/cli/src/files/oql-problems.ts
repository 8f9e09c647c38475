import { compile } from '@fanion/oql';
import type { Problem } from './kind.ts';

/** What is wrong with a query, before the server is asked: queries do not depend on what is stored. */
export function oqlProblems(query: string, path: Problem['path']): Problem[] {
  const toNs = BigInt(Date.now()) * 1_000_000n;
  const window = { fromNs: toNs - 60_000_000_000n, toNs };
  const compiled = compile(query, { scope: { workspace: 1, project: 1 }, window, limit: 1, nowNs: toNs });
  if (compiled.ok) return [];
  return compiled.diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => ({ path, message }));
}
