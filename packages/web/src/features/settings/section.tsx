import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState, Loading } from '../../ui/states.tsx';
import classes from './settings.module.css';

/** The header of a settings page: its description and its main action. */
export function SectionHead({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className={classes.bar}>
      <p className={classes.lead}>{children}</p>
      {action}
    </div>
  );
}

/** Shows the data of a query, its loading state, or its error. */
export function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading />;
  return children(query.data);
}
