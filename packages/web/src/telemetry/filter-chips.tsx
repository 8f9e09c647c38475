import { IconX } from '@tabler/icons-react';
import { UnstyledButton } from '../ui/mantine.ts';
import classes from './filter-chips.module.css';

/** The picked filters; a click removes one. */
export function FilterChips({
  filters,
  onChange,
}: {
  filters: readonly string[];
  onChange: (filters: string[]) => void;
}) {
  if (filters.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label="Filters">
      {filters.map((condition) => (
        <li key={condition}>
          <UnstyledButton
            className={classes.chip}
            aria-label={`Remove the filter ${condition}`}
            title="Remove"
            onClick={() => onChange(filters.filter((other) => other !== condition))}
          >
            <span className="truncate">{condition}</span>
            <IconX size={13} stroke={1.8} aria-hidden />
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
