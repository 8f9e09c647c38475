import { listFields } from '@fanion/contract';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { routeQuery } from '../api/queries.ts';
import { useScope } from '../app/session.ts';
import { useEnvironment, useTimeRange } from '../app/time-range.ts';
import type { TimeRange } from '../ui/time/time-range.ts';

export type Source = 'spans' | 'logs' | 'metrics' | 'profiles';

export interface FieldHint {
  name: string;
  type: string;
  info: string;
}

/** Data for completion: the known fields of a signal, and the values of one field. */
export interface FieldHints {
  fields: (signal: string, prefix: string) => Promise<readonly FieldHint[]>;
  values: (field: string, prefix: string) => Promise<readonly string[]>;
}

export interface FieldScope {
  ws: string;
  project: string;
  environment: string | undefined;
  range: TimeRange;
}

/** Hints change slowly, so they are cached for a minute. */
const FRESH_MS = 60_000;

/** Names of a source, or with `field` its most frequent values. */
export function fieldsQuery(scope: FieldScope, asked: { source?: Source; field?: string; search?: string }) {
  const { ws, project, environment, range } = scope;
  return {
    ...routeQuery(listFields, {
      params: { ws },
      query: {
        project,
        ...(environment !== undefined && { environment }),
        from: range.from,
        to: range.to,
        limit: 1000,
        ...asked,
      },
    }),
    staleTime: FRESH_MS,
  };
}

/** The roll-up source for a signal of OQL; events have none. */
export function sourceOfSignal(signal: string): Source | undefined {
  if (signal === 'metric') return 'metrics';
  if (signal === 'traces') return 'spans';
  return signal === 'spans' || signal === 'logs' || signal === 'profiles' ? signal : undefined;
}

/** `span.http.route` and `log.x` are the attribute of that name; `resource.x` and `attr.x` are known to the route. */
export function rollupName(field: string): string {
  return field.replace(/^(?:span|log|metric)\./, 'attr.');
}

function hintsOf(queries: QueryClient, scope: FieldScope, only: Source | undefined): FieldHints {
  return {
    // If completion fails, no list opens; the query itself reports errors.
    async fields(signal) {
      const source = sourceOfSignal(signal);
      if (source === undefined) return [];
      const { fields } = await queries
        .ensureQueryData(fieldsQuery(scope, { source }))
        .catch(() => ({ fields: [] as never[] }));
      return fields.map(({ name, type, scope: where, cardinality }) => ({
        name,
        type,
        info: `${where === 'resource' ? 'Resource attribute' : where === 'field' ? 'Field' : 'Attribute'}, ${cardinality} values`,
      }));
    },
    async values(field, prefix) {
      const asked = { field: rollupName(field), ...(only !== undefined && { source: only }) };
      // The fifty most frequent values match most prefixes; only a longer list needs another request.
      const { values } = await queries
        .ensureQueryData(fieldsQuery(scope, prefix === '' ? asked : { ...asked, search: prefix }))
        .catch(() => ({ values: [] as never[] }));
      return values.map(({ value }) => value);
    },
  };
}

/** Hints within the page's scope and window. `only` narrows values to one source. */
export function useFieldHints(only?: Source): FieldHints {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const queries = useQueryClient();
  return useMemo(
    () => hintsOf(queries, { ws, project, environment, range }, only),
    [queries, ws, project, environment, range, only],
  );
}
