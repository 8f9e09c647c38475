import type { ComponentProps } from 'react';
import { TextInput } from './mantine.ts';

/** A date and time of day, in the zone that times are shown in. */
export function MomentInput(props: Omit<ComponentProps<typeof TextInput>, 'type'>) {
  return <TextInput type="datetime-local" {...props} />;
}
