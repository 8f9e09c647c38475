import { useEffect, useMemo, useState } from 'react';
import { type FieldHint, type FieldHints, sourceOfSignal } from '../../telemetry/field-hints.ts';

/** What the form of one part of a query gets. */
export interface PartFormProps<Part> {
  signal: string;
  hints: FieldHints;
  /** The part to change; without it, a new one. */
  initial?: Part | undefined;
  /** Called with the part as OQL. */
  onDone: (part: string) => void;
}

/** Lists of a form in a popover open inside it: outside, a click on them would close the popover. */
export const IN_PLACE = { withinPortal: false } as const;

/** Names that every row of a signal has; attributes are queried. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  spans: ['service.name', 'name', 'duration', 'status', 'kind', 'status_message'],
  logs: ['service.name', 'severity', 'body', 'event_name'],
  traces: ['service.name', 'name', 'duration'],
  events: ['service.name', 'name'],
  metric: ['service.name', 'value'],
};

/** The fields of a signal with their types, for forms that offer them. Types of built-in fields are empty until they are known. */
export function useFieldTypes(signal: string, hints: FieldHints): ReadonlyMap<string, string> {
  const [fields, setFields] = useState<readonly FieldHint[]>([]);
  useEffect(() => {
    let current = true;
    if (sourceOfSignal(signal) !== undefined)
      void hints.fields(signal, '').then((found) => current && setFields(found));
    return () => {
      current = false;
    };
  }, [signal, hints]);
  return useMemo(() => {
    const own = (OWN[signal] ?? []).map((name) => [name, ''] as const);
    return new Map([...own, ...fields.map(({ name, type }) => [name, type] as const)]);
  }, [signal, fields]);
}

/** The same without their types. */
export function useFieldNames(signal: string, hints: FieldHints): string[] {
  return [...useFieldTypes(signal, hints).keys()];
}

/** The most frequent values of a field. */
export function useFieldValues(field: string, hints: FieldHints): string[] {
  const [values, setValues] = useState<readonly string[]>([]);
  useEffect(() => {
    let current = true;
    setValues([]);
    if (field.trim() !== '') void hints.values(field.trim(), '').then((found) => current && setValues(found));
    return () => {
      current = false;
    };
  }, [field, hints]);
  return [...new Set(values)];
}
