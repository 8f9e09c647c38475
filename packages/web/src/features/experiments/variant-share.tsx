import type { ReactNode } from 'react';
import { PercentInput } from '../flags/serve-editor.tsx';
import { setShare, type Weight } from '../flags/weights.ts';
import classes from './experiments.module.css';

/** Divides the units that take part among variants. */
export function VariantShares({
  variants,
  onChange,
  beside,
  children,
}: {
  variants: readonly Weight[];
  onChange: (variants: Weight[]) => void;
  /** Stands beside the share of a variant. */
  beside?: (variant: string) => ReactNode;
  /** Below the shares. */
  children: ReactNode;
}) {
  return (
    <fieldset className={classes.variants}>
      <legend>Variants, with the share of the units that take part</legend>
      {variants.map(({ variant, weight }) => (
        <div key={variant} className={classes.variant}>
          <span className="truncate" title={variant}>
            {variant}
          </span>
          <PercentInput
            label={`Share of ${variant}`}
            weight={weight}
            disabled={false}
            onChange={(next) => onChange(setShare(variants, variant, next))}
          />
          {beside?.(variant)}
        </div>
      ))}
      {children}
    </fieldset>
  );
}
