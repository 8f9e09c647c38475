import type { ReactNode } from 'react';
import { Page } from '../page.tsx';
import { type Answer, Loaded } from './loaded.tsx';

/** The page of one resource: its name, state and actions once it is loaded, and below them what `Loaded` shows of it. */
export function ResourcePage<T extends { readonly name: string }>({
  query,
  what,
  title,
  crumbs,
  subtitle,
  actions,
  children,
}: {
  query: Answer<T>;
  /** What the resource is called in a sentence: `alert rule`. */
  what: string;
  /** Stands for its name until that is loaded. */
  title: string;
  crumbs: ReactNode;
  subtitle: (resource: T) => ReactNode;
  actions: (resource: T) => ReactNode;
  children: (resource: T) => ReactNode;
}) {
  const { data } = query;
  return (
    <Page title={data?.name ?? title} crumbs={crumbs} subtitle={data && subtitle(data)} actions={data && actions(data)}>
      <Loaded query={query} label={`Loading the ${what}`}>
        {children}
      </Loaded>
    </Page>
  );
}
