import { createSavedQuery, type QueryLanguage } from '@fanion/contract';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Checkbox, Modal, Textarea, TextInput } from '../../ui/mantine.ts';

import { describeRange } from '../../ui/time/time-range.ts';
import { toastDone } from '../../ui/toast.ts';
import { savedQueriesQuery } from './library.ts';

interface Props {
  readonly query: string | null;
  readonly language: QueryLanguage;
  readonly onClose: () => void;
}

/** Saves a query for everybody in the workspace. Null keeps it closed. */
export function SaveDialog({ query, ...props }: Props) {
  return (
    <Modal opened={query !== null} onClose={props.onClose} title="Save query">
      {query !== null && <SaveForm query={query} {...props} />}
    </Modal>
  );
}

function SaveForm({ query, language, onClose }: Props & { readonly query: string }) {
  const { ws, project } = useScope();
  const { range } = useTimeRange();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const form = useForm({
    initial: { name: '', description: '', withRange: false },
    submit: async ({ name, description, withRange }) => {
      await call(createSavedQuery, {
        params: { ws },
        body: {
          name,
          description,
          query,
          query_language: language,
          project,
          ...(environment !== undefined && { environment }),
          ...(withRange && range),
        },
      });
      await queries.invalidateQueries({ queryKey: savedQueriesQuery(ws).queryKey });
      toastDone(`“${name}” is saved.`);
      onClose();
    },
  });
  return (
    <DialogForm form={form} action="Save" onCancel={onClose}>
      <CodeBlock code={query} label="query" wrap />
      <TextInput label="Name" required data-autofocus {...form.field('name')} />
      <Textarea autosize={false} label="Description" rows={2} {...form.field('description')} />
      <Checkbox label={`Include the time range: ${describeRange(range)}`} {...form.toggle('withRange')} />
    </DialogForm>
  );
}
