import { useState } from 'react';
import { type Form, useForm } from './form.ts';
import { Button, Group } from './mantine.ts';
import { ErrorNotice } from './states.tsx';

type Problems<D> = Partial<Record<keyof D, string>>;
type TextField<D> = { [K in keyof D]: string extends D[K] ? K : never }[keyof D];

/**
 * The form of a draft on a page of its own. Problems are shown once somebody has tried to save, and then for each
 * change; a draft that has any is not saved.
 */
export function useDraftForm<D extends object>({
  initial,
  check,
  onSave,
}: {
  initial: D;
  check: (draft: D, saving: boolean) => Problems<D>;
  onSave: ((draft: D) => Promise<void>) | undefined;
}) {
  const [problems, setProblems] = useState<Problems<D>>({});
  const [tried, setTried] = useState(false);
  const form = useForm<{ draft: D }>({
    initial: { draft: initial },
    submit: async ({ draft }) => {
      setTried(true);
      const found = check(draft, true);
      setProblems(found);
      if (Object.keys(found).length > 0) return false;
      await onSave?.(draft);
    },
  });
  const { draft } = form.values;
  const set = (change: Partial<D>) => {
    form.set('draft', { ...draft, ...change });
    if (tried) setProblems(check({ ...draft, ...change }, false));
  };
  /** Props for the input of a text. */
  const text = (key: TextField<D>) => ({
    value: String(draft[key]),
    error: problems[key],
    onChange: (event: { currentTarget: { value: string } }) => set({ [key]: event.currentTarget.value } as Partial<D>),
  });
  /** Props for a select that always has a value. Its options are the values that the field can have. */
  const choice = (key: keyof D) => ({
    allowDeselect: false as const,
    value: String(draft[key]),
    error: problems[key],
    onChange: (value: string | null) => value !== null && set({ [key]: value } as Partial<D>),
  });
  /** Props for a switch. */
  const toggle = (key: keyof D) => ({
    checked: draft[key] === true,
    onChange: (event: { currentTarget: { checked: boolean } }) =>
      set({ [key]: event.currentTarget.checked } as unknown as Partial<D>),
  });
  return { form, draft, problems, set, text, choice, toggle };
}

export type DraftForm<D extends object> = ReturnType<typeof useDraftForm<D>>;

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
