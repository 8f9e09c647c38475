import { Select } from '../../ui/mantine.ts';

/** Chooses one of several variants; renders nothing if there is one only. */
export function VariantSelect({
  label,
  variants,
  value,
  onChange,
}: {
  label: string;
  variants: readonly { readonly variant: string }[];
  value: string;
  onChange: (variant: string) => void;
}) {
  if (variants.length < 2) return null;
  return (
    <Select
      aria-label={label}
      size="xs"
      w={140}
      value={value}
      data={variants.map(({ variant }) => variant)}
      onChange={(next) => next !== null && onChange(next)}
    />
  );
}
