import type { ReactNode } from 'react';
import { ErrorState, Loading, Notice } from '../states.tsx';

/** What TanStack Query returns for a query, as far as a page needs it. */
export interface Answer<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

interface LoadingProps<T> {
  query: Answer<T>;
  /** What screen readers say while it loads: `Loading the flag`. */
  label?: string;
  /** For panels that are part of a page. */
  compact?: boolean;
}

/** The error of a query that has returned nothing yet, or its loading state. */
export function Unloaded({ query: { error, refetch }, label = 'Loading', compact = false }: LoadingProps<unknown>) {
  if (!error) return <Loading label={label} />;
  return <ErrorState error={error} compact={compact} onRetry={() => void refetch()} />;
}

/**
 * Shows what a query returned; before that, its loading state or its error. If a reload fails, the loaded data stays on the
 * page with a notice, because the user may be reading or editing it.
 */
export function Loaded<T>({ children, ...loading }: LoadingProps<T> & { children: (data: T) => ReactNode }) {
  const { data, error } = loading.query;
  if (data === undefined) return <Unloaded {...loading} />;
  return (
    <>
      {Boolean(error) && <Notice kind="warning">This could not be reloaded. You see what was loaded last.</Notice>}
      {children(data)}
    </>
  );
}

/** Two queries that are shown together. */
export function both<A, B>(a: Answer<A>, b: Answer<B>): Answer<readonly [A, B]> {
  return {
    data: a.data === undefined || b.data === undefined ? undefined : [a.data, b.data],
    error: a.error ?? b.error,
    refetch: () => Promise.all([a.refetch(), b.refetch()]),
  };
}

/** The same for a list, with what stands in its place while it has no rows. */
export function Listed<Row>({
  empty,
  children,
  ...loading
}: LoadingProps<readonly Row[]> & {
  empty: ReactNode;
  children: (rows: readonly Row[]) => ReactNode;
}) {
  return <Loaded {...loading}>{(rows) => (rows.length === 0 ? empty : children(rows))}</Loaded>;
}
