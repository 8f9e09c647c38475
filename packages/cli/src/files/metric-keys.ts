import { listMetrics } from '@fanion/contract';
import type { Context, Problem } from './kind.ts';
import { listAll } from './list-all.ts';

/** Files name metrics by key; the API has ids. */
export interface MetricKeys {
  keyOf(ref: string): string;
  has(key: string): boolean;
}

/** The metrics of the project, built-in ones too, and those that files define. */
export async function readMetricKeys({ connection, plannedNames }: Context): Promise<MetricKeys> {
  const { client, scope } = connection;
  const all = await listAll((page) => client.call(listMetrics, { params: scope, query: page }));
  const byId = new Map(all.map(({ id, key }) => [id, key]));
  const keys = new Set([...byId.values(), ...plannedNames('metrics')]);
  return { keyOf: (ref) => byId.get(ref) ?? ref, has: (key) => keys.has(key) };
}

export function unknownMetric({ has }: MetricKeys, key: string, path: Problem['path']): Problem[] {
  return has(key) ? [] : [{ path, message: `no metric has the key ${key}` }];
}
