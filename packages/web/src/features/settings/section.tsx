import type { ReactNode } from 'react';
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
