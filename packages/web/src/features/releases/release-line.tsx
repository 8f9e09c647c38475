import { useState } from 'react';
import { formatPercent } from '../../ui/format/index.ts';
import { Button, TextInput } from '../../ui/mantine.ts';
import { parsePercent, TOTAL } from '../flags/weights.ts';
import classes from './release.module.css';
import { STOPS, stopText } from './release-rules.ts';

interface ShareProps {
  /** The share of the variant now; null: it is not one share. */
  weight: number | null;
  disabled: boolean;
  onChoose: (weight: number) => void;
}

/** The line of shares: where the release stands, and a click to each of the usual ones. */
export function ReleaseLine({
  variant,
  colour,
  isOn,
  ...share
}: ShareProps & { variant: string; colour: string | undefined; isOn: boolean }) {
  const { weight, disabled, onChoose } = share;
  // Nobody may have the variant of a flag that is on, which is not the same as off: targets and rules count.
  const isAt = (stop: number) => stop === weight && (stop === 0) !== isOn;
  const isBetween = weight !== null && !STOPS.some(isAt);
  return (
    <fieldset className={classes.line} aria-label={`Share of ${variant}`}>
      {STOPS.map((stop) => (
        <Button
          key={stop}
          size="xs"
          variant="default"
          className={classes.stop}
          data-reached={(weight !== null && stop > 0 && stop <= weight) || undefined}
          style={{ '--variant': colour }}
          aria-current={isAt(stop) ? 'step' : undefined}
          disabled={disabled || isAt(stop)}
          onClick={() => onChoose(stop)}
        >
          {stopText(stop)}
        </Button>
      ))}
      {isBetween && (
        <span className={classes.between} aria-current="step">
          now {formatPercent(weight / TOTAL)}
        </span>
      )}
      <OtherShare {...share} />
    </fieldset>
  );
}

function OtherShare({ weight, disabled, onChoose }: ShareProps) {
  const [custom, setCustom] = useState('');
  const typed = parsePercent(custom);
  return (
    <form
      className={classes.custom}
      onSubmit={(event) => {
        event.preventDefault();
        if (typed !== null) onChoose(typed);
      }}
    >
      <TextInput
        aria-label="Another percentage"
        placeholder="other"
        size="xs"
        w={90}
        inputMode="decimal"
        disabled={disabled}
        value={custom}
        error={custom !== '' && typed === null}
        rightSection={<span className="dim">%</span>}
        onChange={({ currentTarget: { value } }) => setCustom(value)}
      />
      {typed !== null && (
        <Button type="submit" size="xs" variant="default" disabled={disabled || typed === weight}>
          {typed === TOTAL ? 'Set all' : typed === 0 ? 'Turn off' : `Set ${stopText(typed)}`}
        </Button>
      )}
    </form>
  );
}
