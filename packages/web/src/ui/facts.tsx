import type { ComponentProps, ReactNode } from 'react';
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
export function Fact({ name, ...value }: { name: string } & ComponentProps<'dd'>) {
  return (
    <>
      <dt>{name}</dt>
      <dd {...value} />
    </>
  );
}
