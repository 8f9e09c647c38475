import { ApiError } from '@fanion/contract';
import { type ChangeEvent, type SubmitEvent, useState } from 'react';
import { useDraftState } from './draft-state.ts';

type TextKeys<T> = { [K in keyof T]: T[K] extends string ? K : never }[keyof T] & string;
type BooleanKeys<T> = { [K in keyof T]: T[K] extends boolean ? K : never }[keyof T] & string;

export type FormProblems = Readonly<Partial<Record<string, string>>>;

export interface Form<T> {
  values: T;
  set: <K extends keyof T>(key: K, value: T[K]) => void;
  /** Props for a text input bound to a field, with its problem or the server's error for it, if any. */
  field: (key: TextKeys<T>) => {
    name: string;
    value: string;
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
    error: string | undefined;
  };
  /** The same for a select that always has a value. */
  choice: (key: TextKeys<T>) => {
    value: string;
    onChange: (value: string | null) => void;
    error: string | undefined;
  };
  /** The same for a switch or a checkbox. */
  toggle: (key: BooleanKeys<T>) => { checked: boolean; onChange: (event: ChangeEvent<HTMLInputElement>) => void };
  errorOf: (key: string) => string | undefined;
  /** Whether somebody has submitted it: what is missing is shown from then on. */
  tried: boolean;
  /** The error that belongs to no field. */
  error: unknown;
  pending: boolean;
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
}

/**
 * A small form: values, pending state, and errors. `details` of an `ApiError` whose `path` names a field are shown at
 * that field, everything else stays in `error`. `submit` resolves to false if it saved nothing.
 */
export function useForm<T extends object>(options: {
  initial: T;
  /** What keeps the values from being submitted, by field. Shown once somebody has tried, and then for each change. */
  check?: (values: T) => FormProblems;
  submit: (values: T) => Promise<unknown>;
}): Form<T> {
  const { initial, check = () => ({}), submit } = options;
  const [values, setValues] = useState(initial);
  const [error, setError] = useState<unknown>(null);
  const [pending, setPending] = useState(false);
  const [isEdited, setIsEdited] = useState(false);
  const [tried, setTried] = useState(false);
  useDraftState(pending ? 'saving' : isEdited ? 'edited' : 'untouched');
  const byField = fieldErrors(error, Object.keys(values));
  const problems: FormProblems = tried ? check(values) : {};
  const errorOf = (key: string) => problems[key] ?? byField.get(key);
  const set: Form<T>['set'] = (key, value) => {
    setValues((old) => ({ ...old, [key]: value }));
    setIsEdited(true);
  };
  return {
    values,
    set,
    field: (key) => ({
      name: key,
      value: String(values[key]),
      onChange: (event) => {
        // Whoever calls this has checked that the field is a text.
        set(key, event.currentTarget.value as T[typeof key]);
      },
      error: errorOf(key),
    }),
    choice: (key) => ({
      value: String(values[key]),
      onChange: (value) => value !== null && set(key, value as T[typeof key]),
      error: errorOf(key),
    }),
    toggle: (key) => ({
      checked: values[key] === true,
      onChange: (event) => set(key, event.currentTarget.checked as T[typeof key]),
    }),
    errorOf,
    tried,
    error: byField.size > 0 ? null : error,
    pending,
    onSubmit: (event) => {
      event.preventDefault();
      event.stopPropagation();
      if (pending) return;
      setTried(true);
      setError(null);
      if (Object.keys(check(values)).length > 0) return;
      setPending(true);
      submit(values)
        .then((saved) => saved !== false && setIsEdited(false))
        .catch(setError)
        .finally(() => setPending(false));
    },
  };
}

/** Errors by field name: `body.email`, `/email` and `email` all mean the field `email`. */
export function fieldErrors(error: unknown, fields: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  if (!(error instanceof ApiError)) return found;
  for (const detail of error.details ?? []) {
    const segments = detail.path.split(/[./[\]]+/).filter((part) => part !== '' && part !== 'body');
    const field = segments[0];
    if (field !== undefined && fields.includes(field) && !found.has(field)) found.set(field, detail.message);
  }
  return found;
}
