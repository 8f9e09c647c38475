import type { Form } from '../ui/form.ts';
import { Group, TextInput } from '../ui/mantine.ts';
import { keyFromName } from './key-from-name.ts';

/** The name of something new, and the key that is made of it unless one is written. */
export function NameAndKey({
  form: { values, field },
  example,
  purpose,
}: {
  form: Pick<Form<{ name: string; key: string }>, 'values' | 'field'>;
  /** A name, as a placeholder; the key is made of it. */
  example: string;
  /** What the key is for. */
  purpose: string;
}) {
  return (
    <Group grow align="flex-start">
      <TextInput label="Name" placeholder={example} autoFocus {...field('name')} />
      <TextInput
        label="Key"
        description={`${purpose}; it never changes.`}
        placeholder={keyFromName(values.name) || keyFromName(example)}
        required={values.name.trim() === ''}
        {...field('key')}
      />
    </Group>
  );
}
