import { IconPercentage, IconTrash } from '@tabler/icons-react';
import { ActionIcon, Button, TextInput } from '../../ui/mantine.ts';
import { describeShares } from './describe.ts';
import type { Share } from './draft.ts';
import classes from './flags.module.css';
import { PercentInput } from './serve-editor.tsx';

/** The percentages of units that a rule of a flag or segment admits. */
export function ShareList({
  label,
  shares,
  disabled,
  errorAt,
  onChange,
}: {
  label: string;
  shares: readonly Share[];
  disabled: boolean;
  /** Errors by path within the list: `0.ranges.0`. */
  errorAt: (path: string) => string | undefined;
  onChange: (shares: readonly Share[]) => void;
}) {
  return shares.map((share, index) => {
    const name = `${label}, percentage ${index + 1}`;
    const set = (next: Share) => onChange(shares.map((old, at) => (at === index ? next : old)));
    const wrong = ['seed', 'bucket_by', 'ranges.0', 'ranges'].map((path) => errorAt(`${index}.${path}`));
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: shares have no name, and their order means nothing
      <div key={index} className={classes.serveLine}>
        <span className={classes.joint}>only</span>
        {isPlain(share) ? (
          <>
            <PercentInput
              label={name}
              weight={share.ranges[0]?.[1] ?? 0}
              disabled={disabled}
              onChange={(weight) => set({ ...share, ranges: [[0, weight]] })}
            />
            <TextInput
              aria-label={`${name}: by attribute`}
              placeholder="by targetingKey"
              w={170}
              disabled={disabled}
              value={share.bucket_by ?? ''}
              onChange={(event) => set(withAttribute(share, event.currentTarget.value))}
            />
          </>
        ) : (
          <span>{describeShares([share]).replace(/^only /, '')}</span>
        )}
        {wrong.find((message) => message !== undefined) && (
          <span className={classes.wrong} role="alert">
            {wrong.find((message) => message !== undefined)}
          </span>
        )}
        {!disabled && (
          <ActionIcon
            aria-label={`Delete ${name.charAt(0).toLowerCase()}${name.slice(1)}`}
            onClick={() => onChange(shares.filter((_, at) => at !== index))}
          >
            <IconTrash size={15} stroke={1.6} />
          </ActionIcon>
        )}
      </div>
    );
  });
}

/** One range from the start of the line with our own hash, which a percentage can express. */
function isPlain({ ranges, hash = 'fanion' }: Share): boolean {
  return hash === 'fanion' && ranges.length === 1 && ranges[0]?.[0] === 0;
}

function withAttribute(share: Share, attribute: string): Share {
  const { bucket_by: _, ...rest } = share;
  return attribute === '' ? rest : { ...rest, bucket_by: attribute };
}

export function AddShare({ onAdd }: { onAdd: (share: Share) => void }) {
  return (
    <Button
      variant="subtle"
      size="xs"
      leftSection={<IconPercentage size={14} />}
      onClick={() => onAdd({ seed: newSeed(), ranges: [[0, 10_000]] })}
    >
      Add percentage
    </Button>
  );
}

/** 64 random bits, so that no two shares admit the same units by accident. */
function newSeed(): string {
  return [...crypto.getRandomValues(new Uint32Array(2))].map((part) => part.toString(16).padStart(8, '0')).join('');
}
