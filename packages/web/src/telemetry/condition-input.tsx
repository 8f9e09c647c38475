import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { TextInput } from '../ui/mantine.ts';

/** A text field that applies its value on Enter or blur, so that typing runs no queries. */
export function ConditionInput({
  label,
  placeholder,
  value,
  onChange,
  width,
  icon = <IconSearch size={14} />,
  isSearch = false,
}: {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  width?: number;
  icon?: ReactNode;
  /** The field that `/` focuses. */
  isSearch?: boolean;
}) {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  const commit = () => {
    if (draft.trim() !== value) onChange(draft.trim());
  };
  return (
    <TextInput
      {...(isSearch && { 'data-focus-search': true })}
      aria-label={label}
      placeholder={placeholder}
      leftSection={icon}
      value={draft}
      {...(width === undefined ? { style: { flex: 1, minWidth: 200 } } : { w: width })}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}
