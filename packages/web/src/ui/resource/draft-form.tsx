import type { CSSProperties, ReactNode } from 'react';
import columns from '../columns.module.css';
import { type Form, useForm } from '../form.ts';
import { Button, Group } from '../mantine.ts';
import { ErrorNotice } from '../states.tsx';

type Problems<D> = Partial<Record<keyof D, string>>;
type FieldOf<D, V> = { [K in keyof D]: V extends D[K] ? K : never }[keyof D];

/** What the form of a draft gets from its page. */
export interface DraftFormProps<D> {
  initial: D;
  /** The verb on the button. */
  action: string;
  /** Without it, the fields can be tried but not saved. */
  onSave?: ((draft: D) => Promise<void>) | undefined;
  /** Content above the fields. */
  children?: ReactNode;
}

/**
 * The form of a draft on a separate page. A draft with problems is not saved. They are shown after
 * the first attempt to save, and from then on at each change.
 */
export function useDraftForm<D extends object>({
  initial,
  check,
  onSave,
}: Pick<DraftFormProps<D>, 'initial' | 'onSave'> & { check: (draft: D) => Problems<D> }) {
  const form = useForm<{ draft: D }>({
    initial: { draft: initial },
    check: ({ draft }) => check(draft),
    submit: async ({ draft }) => onSave?.(draft),
  });
  const { draft } = form.values;
  const problems: Problems<D> = form.tried ? check(draft) : {};
  const set = (change: Partial<D>) => form.set('draft', { ...draft, ...change });
  const put = <K extends keyof D>(key: K, value: D[K]) => form.set('draft', { ...draft, [key]: value });
  /** Props for the input of a text. */
  const text = (key: FieldOf<D, string>) => ({
    value: String(draft[key]),
    error: problems[key],
    // Only fields that can be any text have such an input.
    onChange: (event: { currentTarget: { value: string } }) => put(key, event.currentTarget.value as D[typeof key]),
  });
  /** Props for a select that always has a value. Its options are the values that the field can have. */
  const choice = (key: keyof D) => ({
    value: String(draft[key]),
    error: problems[key],
    onChange: (value: string | null) => value !== null && put(key, value as D[typeof key]),
  });
  /** Props for a switch. */
  const toggle = (key: FieldOf<D, boolean>) => ({
    checked: draft[key] === true,
    onChange: (event: { currentTarget: { checked: boolean } }) =>
      put(key, event.currentTarget.checked as D[typeof key]),
  });
  return { form, draft, problems, set, text, choice, toggle };
}

export type DraftForm<D extends object> = ReturnType<typeof useDraftForm<D>>;

/** A form in two columns; narrow screens show one below the other. */
export function ColumnsForm({
  form,
  beside,
  children,
}: {
  form: Pick<Form<never>, 'onSubmit'>;
  /** The width of the second column. */
  beside: string;
  children: ReactNode;
}) {
  return (
    <form onSubmit={form.onSubmit} className={columns.columns} style={{ '--beside': beside } as CSSProperties}>
      {children}
    </form>
  );
}

/** The end of such a form: what the server refused, and the button that saves. */
export function SaveDraft({ form, action }: { form: Pick<Form<never>, 'error' | 'pending'>; action: string }) {
  return (
    <>
      <ErrorNotice error={form.error} />
      <Group justify="flex-end">
        <Button type="submit" loading={form.pending}>
          {action}
        </Button>
      </Group>
    </>
  );
}
