import { IconMinus, IconPlus } from '@tabler/icons-react';
import { Fragment, type ReactNode, useState } from 'react';
import { CopyButton } from '../ui/code-block.tsx';
import { ActionIcon, TextInput } from '../ui/mantine.ts';
import classes from './attribute-table.module.css';

/** Tables with at least this many attributes have a filter. */
const FILTER_FROM = 12;

/** Names and full values, always as text, with a button to copy each value. */
export function AttributeTable({
  label,
  attributes,
  onFilter,
  unfiltered,
}: {
  label: string;
  attributes: readonly (readonly [string, string])[];
  /** Adds buttons to search for items with, or without, the value. */
  onFilter?: (name: string, exclude: boolean) => void;
  /** Attributes without these buttons. */
  unfiltered?: string;
}) {
  const [filter, setFilter] = useState('');
  const needle = filter.toLowerCase();
  const shown = attributes.filter(([name, value]) => `${name} ${value}`.toLowerCase().includes(needle));
  return (
    <>
      {attributes.length >= FILTER_FROM && (
        <TextInput
          aria-label={`Filter ${label}`}
          placeholder="Filter"
          mb="sm"
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      <table className={classes.table} aria-label={label}>
        <tbody>
          {shown.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{breakable(name)}</th>
              <td>
                <span className={classes.value}>{value}</span>
                <span className={classes.copy}>
                  {onFilter && name !== unfiltered && (
                    <>
                      <ActionIcon
                        size="xs"
                        aria-label={`Only with this ${name}`}
                        title="Only with this value"
                        onClick={() => onFilter(name, false)}
                      >
                        <IconPlus size={14} />
                      </ActionIcon>
                      <ActionIcon
                        size="xs"
                        aria-label={`Without this ${name}`}
                        title="Without this value"
                        onClick={() => onFilter(name, true)}
                      >
                        <IconMinus size={14} />
                      </ActionIcon>
                    </>
                  )}
                  <CopyButton value={value} label={`Copy ${name}`} size="xs" />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 && (
        <p className="dim">{attributes.length === 0 ? 'None' : 'No attribute matches the filter'}</p>
      )}
    </>
  );
}

/** Breaks long names after dots and underscores, not inside words. */
function breakable(name: string): ReactNode {
  return name.split(/(?<=[._])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name never move
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
