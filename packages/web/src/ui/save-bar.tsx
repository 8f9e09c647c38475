import type { ReactNode } from 'react';
import { Button } from './mantine.ts';
import classes from './save-bar.module.css';

/** Stands below an editor while it holds changes: what they are, and the ways to save or discard them. */
export function SaveBar({
  disabled,
  onDiscard,
  onReview,
  children,
}: {
  /** Nothing can be saved yet. */
  disabled: boolean;
  onDiscard: () => void;
  onReview: () => void;
  children: ReactNode;
}) {
  return (
    <section className={classes.bar} aria-label="Unsaved changes">
      <span>{children}</span>
      <Button variant="default" onClick={onDiscard}>
        Discard
      </Button>
      <Button disabled={disabled} onClick={onReview}>
        Review and save
      </Button>
    </section>
  );
}
