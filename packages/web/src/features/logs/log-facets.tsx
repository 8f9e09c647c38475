import { IconChevronDown, IconChevronRight, IconColumnInsertRight, IconMinus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { fieldsQuery } from '../../telemetry/field-hints.ts';
import { valueCondition, withFilter } from '../../telemetry/filters.ts';
import { useOql } from '../../telemetry/oql.ts';
import { plainText } from '../../telemetry/results.ts';
import { describeError } from '../../ui/errors.ts';
import { formatNumber } from '../../ui/format/index.ts';
import { ActionIcon, TextInput, UnstyledButton } from '../../ui/mantine.ts';
import { useOneStop } from '../../ui/one-stop.ts';
import { type FacetField, facetFields, facetQuery } from './facets.ts';
import classes from './log-facets.module.css';

/** Every list has these columns. */
const ALWAYS_SHOWN = new Set(['severity', 'service.name', 'body', 'time']);

/**
 * The fields of the lines with their most frequent values, counted for the current search. A click on a value
 * keeps only its lines; the minus next to it excludes them.
 */
export function LogFacets({
  conditions,
  filters,
  onChange,
  columns,
  onColumns,
}: {
  /** Conditions of the search without the filters. */
  conditions: readonly string[];
  filters: readonly string[];
  onChange: (filters: string[]) => void;
  /** Fields that are columns of the list. */
  columns: readonly string[];
  onColumns: (columns: string[]) => void;
}) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const [search, setSearch] = useState('');
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set(['severity', 'service.name']));
  const known = useQuery(fieldsQuery({ ws, project, environment, range }, { source: 'logs' }));
  const fields = useMemo(() => facetFields(known.data?.fields ?? []), [known.data]);
  const words = search.toLowerCase().trim();
  const shown = fields.filter(({ name }) => name.toLowerCase().includes(words));
  const toggle = (name: string) =>
    setOpen((old) => {
      const next = new Set(old);
      if (!next.delete(name)) next.add(name);
      return next;
    });
  const list = useOneStop<HTMLUListElement>();
  return (
    <section className={classes.facets} aria-label="Fields">
      <TextInput
        aria-label="Find a field"
        placeholder="Find a field"
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <ul ref={list} className={classes.fields}>
        {shown.map((field) => (
          <li key={field.name}>
            <FacetHeading
              name={field.name}
              isOpen={open.has(field.name)}
              onToggle={() => toggle(field.name)}
              columns={columns}
              onColumns={onColumns}
            />
            {open.has(field.name) && (
              <FacetValues field={field} conditions={conditions} filters={filters} onChange={onChange} />
            )}
          </li>
        ))}
      </ul>
      {known.data && shown.length === 0 && <p className="dim">No matching fields.</p>}
    </section>
  );
}

/** The name of a field, which opens its values, and a button for its column. */
function FacetHeading({
  name,
  isOpen,
  onToggle,
  columns,
  onColumns,
}: {
  name: string;
  isOpen: boolean;
  onToggle: () => void;
  columns: readonly string[];
  onColumns: (columns: string[]) => void;
}) {
  const isColumn = columns.includes(name);
  return (
    <span className={classes.heading}>
      <UnstyledButton className={classes.field} aria-expanded={isOpen} title={name} onClick={onToggle}>
        {isOpen ? <IconChevronDown size={13} /> : <IconChevronRight size={13} />}
        <span className="truncate">{name}</span>
      </UnstyledButton>
      {!ALWAYS_SHOWN.has(name) && (
        <ActionIcon
          size="xs"
          className={classes.column}
          aria-pressed={isColumn}
          aria-label={`Show ${name} as a column`}
          title={isColumn ? 'Remove the column' : 'Show as a column'}
          onClick={() => onColumns(isColumn ? columns.filter((other) => other !== name) : [...columns, name])}
        >
          <IconColumnInsertRight size={14} />
        </ActionIcon>
      )}
    </span>
  );
}

function FacetValues({
  field,
  conditions,
  filters,
  onChange,
}: {
  field: FacetField;
  conditions: readonly string[];
  filters: readonly string[];
  onChange: (filters: string[]) => void;
}) {
  const answer = useOql(facetQuery(field.name, conditions, filters), { keep: true });
  if (answer.isError) return <p className={classes.note}>{describeError(answer.error).message}</p>;
  if (answer.isPending) return <p className={classes.note}>Counting …</p>;
  const { rows } = answer.data.result;
  if (rows.length === 0) return <p className={classes.note}>No lines</p>;
  const largest = Math.max(...rows.map(([, count]) => Number(count)));
  return (
    <ul className={classes.values} aria-label={`Values of ${field.name}`}>
      {rows.map(([value, count]) => {
        const picked = { field: field.name, value, types: field.types };
        const text = value === null ? 'missing' : plainText(value) === '' ? '(empty)' : plainText(value);
        return (
          <li key={text} className={classes.value}>
            <UnstyledButton
              className={classes.pick}
              aria-pressed={filters.includes(valueCondition(picked))}
              title={`Only ${field.name} ${text}`}
              onClick={() => onChange(withFilter(filters, picked))}
            >
              <span className={classes.share} style={{ width: `${(100 * Number(count)) / largest}%` }} />
              <span className={`${classes.text} truncate ${value === null ? 'dim' : ''}`}>{text}</span>
              <span className={classes.count}>{formatNumber(Number(count))}</span>
            </UnstyledButton>
            <ActionIcon
              size="xs"
              aria-label={`Without ${field.name} ${text}`}
              title={`Without ${field.name} ${text}`}
              onClick={() => onChange(withFilter(filters, picked, true))}
            >
              <IconMinus size={13} stroke={1.8} />
            </ActionIcon>
          </li>
        );
      })}
    </ul>
  );
}
