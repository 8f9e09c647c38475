import { useState } from 'react';
import { Button, Checkbox, Select, TextInput } from '../../ui/mantine.ts';
import type { ClauseDraft, ReadAs } from './draft.ts';
import classes from './flags.module.css';
import { foldsCase, readingsOf } from './operators.ts';

const READINGS: Readonly<Record<ReadAs, string>> = {
  number: 'as a number, also in text',
  text: 'as text',
  version: 'as a version, also with a v',
  size: 'as the size of a list',
};

/** The clause without conversions that the operator does not support. */
export function readable(clause: ClauseDraft, op: string): ClauseDraft {
  const { as, ignoreCase, ...rest } = clause;
  return {
    ...rest,
    ...(as !== undefined && readingsOf(op).includes(as) && { as }),
    ...(ignoreCase === true && foldsCase(op) && { ignoreCase }),
  };
}

export interface ClauseProps {
  label: string;
  clause: ClauseDraft;
  disabled: boolean;
  errorAt: (path: string) => string | undefined;
  onChange: (clause: ClauseDraft) => void;
}

/** How a condition converts its attribute. Most do not, so this is collapsed by default. */
export function ReadingEditor(props: ClauseProps) {
  const { label, clause, disabled, errorAt, onChange } = props;
  const isSet = clause.as !== undefined || clause.ignoreCase === true || clause.contextKind !== undefined;
  const [opened, setOpened] = useState(false);
  if (!isSet && disabled) return null;
  if (!isSet && !opened)
    return (
      <div className={classes.reading}>
        <Button variant="subtle" size="xs" aria-label={`${label}: reading options`} onClick={() => setOpened(true)}>
          Reading options
        </Button>
      </div>
    );
  const { as, contextKind, ...rest } = clause;
  return (
    <div className={classes.reading}>
      {readingsOf(clause.op).length > 0 && <ReadingSelect {...props} />}
      {foldsCase(clause.op) && (
        <Checkbox
          label="Ignore case"
          aria-label={`${label}: ignore case`}
          disabled={disabled}
          checked={clause.ignoreCase === true}
          onChange={(event) => onChange({ ...clause, ignoreCase: event.currentTarget.checked })}
        />
      )}
      <TextInput
        aria-label={`${label}: context kind`}
        placeholder="any context kind"
        title="The part of the context that is read, such as organization"
        w={180}
        disabled={disabled}
        error={errorAt('context_kind')}
        value={contextKind ?? ''}
        onChange={(event) => {
          const kind = event.currentTarget.value;
          onChange({ ...rest, ...(as !== undefined && { as }), ...(kind !== '' && { contextKind: kind }) });
        }}
      />
    </div>
  );
}

function ReadingSelect({ label, clause, disabled, errorAt, onChange }: ClauseProps) {
  const readings = readingsOf(clause.op);
  const { as, contextKind, ...rest } = clause;
  return (
    <Select
      aria-label={`${label}: read the attribute`}
      w={220}
      disabled={disabled}
      error={errorAt('as')}
      value={as ?? 'plain'}
      data={[
        { value: 'plain', label: 'as it is' },
        ...readings.map((reading) => ({ value: reading, label: READINGS[reading] })),
      ]}
      onChange={(next) => {
        const reading = readings.find((candidate) => candidate === next);
        onChange({
          ...rest,
          ...(contextKind !== undefined && { contextKind }),
          ...(reading !== undefined && { as: reading }),
        });
      }}
    />
  );
}
