import type { ReactNode } from 'react';
import { PercentInput } from '../flags/serve-editor.tsx';
import classes from './experiments.module.css';

/** A variant with its share of the units that take part. */
export function VariantShare({
  variant,
  weight,
  onChange,
  children,
}: {
  variant: string;
  /** Out of 100,000. */
  weight: number;
  onChange: (weight: number) => void;
  children?: ReactNode;
}) {
  return (
    <div className={classes.variant}>
      <span className="truncate" title={variant}>
        {variant}
      </span>
      <PercentInput label={`Share of ${variant}`} weight={weight} disabled={false} onChange={onChange} />
      {children}
    </div>
  );
}
