import { useState } from 'react';
import { CopyButton } from '../ui/code-block.tsx';
import { TextInput } from '../ui/mantine.ts';
import classes from './attribute-table.module.css';

/** From this many attributes on a filter is offered. */
const FILTER_FROM = 12;

/** Names and values in full, always as text, with a button to copy each value. */
export function AttributeTable({
  label,
  attributes,
}: {
  label: string;
  attributes: readonly (readonly [string, string])[];
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
              <th scope="row">{name}</th>
              <td>
                <span className={classes.value}>{value}</span>
                <span className={classes.copy}>
                  <CopyButton value={value} label={`Copy ${name}`} size="xs" />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p className="dim">{attributes.length === 0 ? 'None' : 'None matches the filter'}</p>}
    </>
  );
}
