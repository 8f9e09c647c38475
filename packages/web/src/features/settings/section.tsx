import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState, Loading } from '../../ui/states.tsx';
import classes from './settings.module.css';

/** The head of a settings page: what it is for, and its one action. */
export function SectionHead({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className={classes.bar}>
      <p className={classes.lead}>{children}</p>
      {action}
    </div>
  );
}

/** Shows what a query loaded, or that it loads, or why it failed. */
export function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading />;
  return children(query.data);
}
