import { Fragment, type ReactNode, useState } from 'react';
import { TextInput } from '../ui/mantine.ts';
import classes from './attribute-table.module.css';
import { ValueButtons } from './value-actions.tsx';

/** Tables with at least this many attributes have a filter. */
const FILTER_FROM = 12;

/** Names and full values, always as text, with a button to copy each value. */
export function AttributeTable({
  label,
  attributes,
  onFilter,
  onGroupBy,
  isField = () => true,
}: {
  label: string;
  attributes: readonly (readonly [string, string])[];
  /** Adds buttons to search for items with, or without, the value. */
  onFilter?: ((name: string, exclude: boolean) => void) | undefined;
  /** Adds a button to group by the attribute. */
  onGroupBy?: ((name: string) => void) | undefined;
  /** Whether an attribute has these buttons; all do by default. */
  isField?: (name: string) => boolean;
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
                  <ValueButtons
                    picked={{ field: name, value }}
                    actions={
                      isField(name)
                        ? { filter: onFilter && ((_, exclude) => onFilter(name, exclude)), groupBy: onGroupBy }
                        : {}
                    }
                  />
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
