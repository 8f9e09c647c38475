import type { ReactNode } from 'react';
import { Panel } from '../../ui/page.tsx';
import { TableSkeleton } from '../../ui/skeleton.tsx';
import classes from './home.module.css';

/** Rows of a panel of the page; its list has the rest. */
export const ROWS = 6;

/** A panel that is as high while it loads as it is afterwards. */
export function HomePanel({
  title,
  more,
  isPending,
  children,
}: {
  title: string;
  more?: ReactNode;
  isPending: boolean;
  children: ReactNode;
}) {
  return (
    <Panel title={title} actions={more} tight>
      <div className={classes.body}>
        {isPending ? <TableSkeleton rows={ROWS} label={`Loading: ${title}`} /> : children}
      </div>
    </Panel>
  );
}
