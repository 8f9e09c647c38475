import type { Form } from '../ui/form.ts';
import { Group, TextInput } from '../ui/mantine.ts';
import { keyFromName } from './key-from-name.ts';

/** Fields for the name of a new item and its key. The key is derived from the name unless the user types one. */
export function NameAndKey({
  form: { values, field },
  example,
  purpose,
}: {
  form: Pick<Form<{ name: string; key: string }>, 'values' | 'field'>;
  /** Placeholder for the name; the key's placeholder is derived from it. */
  example: string;
  /** What the key is for. */
  purpose: string;
}) {
  return (
    <Group grow align="flex-start">
      <TextInput label="Name" placeholder={example} autoFocus {...field('name')} />
      <TextInput
        label="Key"
        description={`${purpose}. It cannot change later.`}
        placeholder={keyFromName(values.name) || keyFromName(example)}
        required={values.name.trim() === ''}
        {...field('key')}
      />
    </Group>
  );
}
