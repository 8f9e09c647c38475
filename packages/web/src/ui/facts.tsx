import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** A list of names and values. */
export function Facts({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <dl className={classes.facts} aria-label={label}>
      {children}
    </dl>
  );
}

/** A name with its value, inside of `Facts`. */
export function Fact({
  name,
  className,
  children,
}: {
  name: string;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    <>
      <dt>{name}</dt>
      <dd className={className}>{children}</dd>
    </>
  );
}
