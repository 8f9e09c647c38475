import { SegmentedControl } from '../ui/mantine.ts';

/** Chooses how a page shows its telemetry. The address names the view unless it is the first one. */
export function ViewSwitch({
  views,
  value,
  onChange,
}: {
  views: readonly { readonly value: string; readonly label: string }[];
  value: string;
  onChange: (view: string | undefined) => void;
}) {
  return (
    <SegmentedControl
      aria-label="View"
      value={value}
      data={[...views]}
      onChange={(next) => onChange(next === views[0]?.value ? undefined : next)}
    />
  );
}
