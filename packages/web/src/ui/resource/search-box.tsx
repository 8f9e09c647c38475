import { useNavigate } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { TextInput } from '../mantine.ts';

/** Filters what a page lists by the text `q` of its address. The shortcut for searching focuses it. */
export function SearchBox({
  label,
  value,
  ...look
}: { label: string; value: string } & Pick<
  ComponentProps<typeof TextInput>,
  'placeholder' | 'size' | 'w' | 'maw' | 'leftSection'
>) {
  const navigate = useNavigate();
  return (
    <TextInput
      {...look}
      data-focus-search
      aria-label={label}
      value={value}
      onChange={({ currentTarget: { value: q } }) =>
        void navigate({ to: '.', search: (old) => ({ ...old, q }), replace: true })
      }
    />
  );
}
