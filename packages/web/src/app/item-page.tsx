import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopyButton } from '../ui/code-block.tsx';
import { Page } from '../ui/page.tsx';
import { ErrorState, Loading, Notice } from '../ui/states.tsx';

/**
 * The page of one item that has a key: its name once loaded, its breadcrumbs, and its key to copy. If a reload fails,
 * the loaded data stays on the page, because the user may be editing it.
 */
export function ItemPage<T extends { readonly name: string }>({
  query,
  itemKey,
  what,
  crumbs,
  actions,
  children,
}: {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;
  itemKey: string;
  /** What it is called in a sentence: `flag`. */
  what: string;
  crumbs: ReactNode;
  actions: (item: T) => ReactNode;
  children: (item: T) => ReactNode;
}) {
  const { data, error, refetch } = query;
  return (
    <Page
      title={data?.name ?? itemKey}
      crumbs={crumbs}
      subtitle={
        <span className="mono">
          {itemKey} <CopyButton value={itemKey} label={`Copy ${what} key`} size="xs" />
        </span>
      }
      actions={data && actions(data)}
      flush
    >
      {data === undefined ? (
        error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading label={`Loading the ${what}`} />
        )
      ) : (
        <>
          {error && <Notice kind="warning">The {what} could not be reloaded. You see the last loaded version.</Notice>}
          {children(data)}
        </>
      )}
    </Page>
  );
}
