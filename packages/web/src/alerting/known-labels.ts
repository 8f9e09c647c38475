import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useScope } from '../app/session.ts';
import { alertInstancesQuery } from './instances.ts';

/** The values of each label, of alerts that are pending or firing or resolved within a day. */
export type KnownLabels = ReadonlyMap<string, ReadonlySet<string>>;

/** What is offered for matchers. */
export function useKnownLabels(): KnownLabels {
  const { ws } = useScope();
  const { data } = useQuery(alertInstancesQuery(ws));
  return useMemo(() => labelsOf((data ?? []).map(({ labels }) => labels)), [data]);
}

function labelsOf(sets: readonly Readonly<Record<string, string>>[]): KnownLabels {
  const found = new Map<string, Set<string>>([['alertname', new Set()]]);
  for (const labels of sets) {
    for (const [name, value] of Object.entries(labels)) {
      const values = found.get(name) ?? new Set();
      found.set(name, values.add(value));
    }
  }
  return found;
}
