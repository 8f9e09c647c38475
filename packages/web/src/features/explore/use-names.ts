import { useEffect, useState } from 'react';
import { type FieldHints, sourceOfSignal } from '../../telemetry/field-hints.ts';

/** Lists of a form in a popover open inside it: outside, a click on them would close the popover. */
export const IN_PLACE = { withinPortal: false } as const;

/** Names that every row of a signal has; attributes are queried. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  spans: ['service.name', 'name', 'duration', 'status', 'kind', 'status_message'],
  logs: ['service.name', 'severity', 'body', 'event_name'],
  traces: ['service.name', 'name', 'duration'],
  events: ['service.name', 'name'],
};

/** The fields of a signal, for forms that offer them. */
export function useFieldNames(signal: string, hints: FieldHints): string[] {
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    let current = true;
    if (sourceOfSignal(signal) !== undefined)
      void hints.fields(signal, '').then((found) => current && setNames(found.map(({ name }) => name)));
    return () => {
      current = false;
    };
  }, [signal, hints]);
  return [...new Set([...(OWN[signal] ?? []), ...names])];
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
