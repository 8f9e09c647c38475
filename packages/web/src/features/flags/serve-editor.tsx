import { useContext, useState } from 'react';
import { Button, Select, TextInput, useComputedColorScheme } from '../../ui/mantine.ts';
import { CODE_DEFAULT, variantOf } from './code-default.ts';
import type { KeptRollout, Serve } from './draft.ts';
import { flagColours, OffVariant } from './flag-colours.ts';
import classes from './flags.module.css';
import {
  evenSplit,
  giveRest,
  parsePercent,
  percentText,
  remainder,
  setShare,
  type Weight,
  withAllVariants,
} from './weights.ts';

const SPLIT = ' split';

type Split = Extract<Serve, { kind: 'split' }>;

interface Props<S extends Serve> {
  /** Names the field for screen readers. */
  label: string;
  serve: S;
  variants: readonly string[];
  disabled: boolean;
  onChange: (serve: Serve) => void;
}

/** What to serve: one variant, or a percentage split. */
export function ServeEditor({ label, serve, variants, disabled, onChange }: Props<Serve>) {
  return (
    <div className={classes.serveLine}>
      <Select
        aria-label={label}
        w={220}
        disabled={disabled}
        value={serve.kind === 'split' ? SPLIT : (serve.variant ?? CODE_DEFAULT.value)}
        data={[
          ...variants.map((variant) => ({ value: variant, label: variant })),
          { value: SPLIT, label: 'a percentage split' },
          CODE_DEFAULT,
        ]}
        onChange={(next) => {
          if (next === null) return;
          if (next !== SPLIT) onChange({ kind: 'variant', variant: variantOf(next) });
          else if (serve.kind !== 'split')
            onChange({ kind: 'split', weights: startSplit(serve.variant, variants), bucketBy: '', seed: '' });
        }}
      />
      {serve.kind === 'split' && (
        <SplitEditor label={label} serve={serve} variants={variants} disabled={disabled} onChange={onChange} />
      )}
    </div>
  );
}

/** A new split starts with the previously served variant, so that choosing a split changes nothing yet. */
function startSplit(served: string | null, variants: readonly string[]): Weight[] {
  // A split serves variants only, so a split that replaces the code default starts with the first variant.
  const all = served ?? variants[0];
  return variants.map((variant) => ({ variant, weight: variant === all ? 100_000 : 0 }));
}

function SplitEditor(props: Props<Split>) {
  const { label, serve, variants, disabled, onChange } = props;
  const scheme = useComputedColorScheme();
  const weights = withAllVariants(serve.weights, variants);
  const rest = remainder(weights);
  const off_variant = useContext(OffVariant);
  const colours = flagColours({ variants: variants.map((key) => ({ key })), off_variant }, scheme);
  const colour = (variant: string) => colours.get(variant);
  const set = (next: Weight[]) => onChange({ ...serve, weights: next });
  return (
    <div className={classes.split}>
      <div className={classes.splitBar} aria-hidden>
        {weights.map(({ variant, weight }) => (
          <span key={variant} style={{ width: `${weight / 1000}%`, background: colour(variant) }} />
        ))}
      </div>
      {weights.map(({ variant, weight }) => (
        <div className={classes.splitRow} key={variant}>
          <span className={classes.swatch} style={{ background: colour(variant) }} />
          <span className="truncate">{variant}</span>
          <PercentInput
            label={`${label}: percentage of ${variant}`}
            weight={weight}
            disabled={disabled}
            onChange={(next) => set(setShare(weights, variant, next))}
          />
          {rest !== 0 && !disabled ? (
            <Button variant="subtle" size="xs" onClick={() => set(giveRest(weights, variant))}>
              {rest > 0 ? `Add the missing ${percentText(rest)}%` : `Remove the extra ${percentText(-rest)}%`}
            </Button>
          ) : (
            <span />
          )}
        </div>
      ))}
      <SplitFoot {...props} />
      <SplitNotes serve={serve} />
    </div>
  );
}

/** The total of a split, and how units are assigned. */
function SplitFoot({ label, serve, variants, disabled, onChange }: Props<Split>) {
  const weights = withAllVariants(serve.weights, variants);
  const rest = remainder(weights);
  const splitEvenly = () => onChange({ ...serve, weights: evenSplit(weights.map(({ variant }) => variant)) });
  return (
    <div className={classes.splitFoot}>
      <span className={rest === 0 ? 'dim' : classes.wrong} role={rest === 0 ? undefined : 'alert'}>
        {rest === 0 ? 'Total 100%' : `The total is ${percentText(100_000 - rest)}%; it must be 100%`}
      </span>
      {!disabled && (
        <Button variant="subtle" size="xs" onClick={splitEvenly}>
          Split evenly
        </Button>
      )}
      <TextInput
        aria-label={`${label}: split by attribute`}
        placeholder="by targetingKey"
        w={170}
        disabled={disabled}
        value={serve.bucketBy}
        onChange={(event) => onChange({ ...serve, bucketBy: event.currentTarget.value })}
      />
      <Select
        aria-label={`${label}: contexts without a unit`}
        title="What to serve to a context without the split attribute"
        w={170}
        disabled={disabled}
        value={serve.kept?.missing ?? 'first'}
        data={[
          { value: 'first', label: 'no unit: first share' },
          { value: 'skip', label: 'no unit: skip' },
        ]}
        onChange={(next) => onChange({ ...serve, kept: withMissing(serve.kept, next === 'skip') })}
      />
      <TextInput
        aria-label={`${label}: seed`}
        placeholder="Share buckets with… (optional)"
        w={220}
        disabled={disabled}
        title="Flags with the same seed put the same units into the same buckets"
        value={serve.seed}
        onChange={(event) => onChange({ ...serve, seed: event.currentTarget.value })}
      />
    </div>
  );
}

function withMissing(kept: KeptRollout | undefined, skip: boolean): KeptRollout {
  const { missing: _, ...rest } = kept ?? {};
  return skip ? { ...rest, missing: 'skip' } : rest;
}

/** Settings that affect the split and cannot be edited here. */
function SplitNotes({ serve }: Pick<Props<Split>, 'serve'>) {
  const { hash = 'fanion', buckets, fallback_bucket_by: others = [], layout } = serve.kept ?? {};
  const notes = [
    ...(hash === 'fanion'
      ? []
      : [`Units are assigned by the ${hash} hash${buckets ? `, in ${buckets} buckets` : ''}.`]),
    ...(others.length === 0 ? [] : [`Without that attribute, units are split by ${others.join(', then ')}.`]),
    ...(layout === undefined ? [] : ['Earlier changes moved as few units as possible to another variant.']),
  ];
  return notes.length === 0 ? null : <p className="dim">{notes.join(' ')}</p>;
}

export function PercentInput({
  label,
  weight,
  disabled,
  onChange,
}: {
  label: string;
  weight: number;
  disabled: boolean;
  onChange: (weight: number) => void;
}) {
  // Keeps the typed text (`12.`) while it parses to the same weight.
  const [draft, setDraft] = useState(percentText(weight));
  const text = parsePercent(draft) === weight ? draft : percentText(weight);
  const invalid = draft !== text && parsePercent(draft) === null;
  return (
    <TextInput
      aria-label={label}
      inputMode="decimal"
      disabled={disabled}
      rightSection={<span className="dim">%</span>}
      styles={{ input: { textAlign: 'right', fontVariantNumeric: 'tabular-nums' } }}
      value={invalid ? draft : text}
      error={invalid}
      onChange={(event) => {
        const next = event.currentTarget.value;
        setDraft(next);
        const parsed = parsePercent(next);
        if (parsed !== null) onChange(parsed);
      }}
      onBlur={() => setDraft(percentText(weight))}
    />
  );
}
