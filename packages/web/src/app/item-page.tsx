import type { ReactNode } from 'react';
import { CopyButton } from '../ui/code-block.tsx';
import { Page } from '../ui/page.tsx';
import { type Answer, Loaded } from '../ui/resource/loaded.tsx';

/** The page of one item that has a key: its name once loaded, its breadcrumbs, and its key to copy. */
export function ItemPage<T extends { readonly name: string }>({
  query,
  itemKey,
  what,
  crumbs,
  actions,
  children,
}: {
  query: Answer<T>;
  itemKey: string;
  /** What it is called in a sentence: `flag`. */
  what: string;
  crumbs: ReactNode;
  actions: (item: T) => ReactNode;
  children: (item: T) => ReactNode;
}) {
  const { data } = query;
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
      <Loaded query={query} label={`Loading the ${what}`}>
        {children}
      </Loaded>
    </Page>
  );
}
