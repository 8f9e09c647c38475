import { useState } from 'react';
import { SegmentedControl } from '../ui/mantine.ts';

/**
 * Whether an editor offers symptoms to choose from, or the query itself.
 * @param canChoose what the query says can be chosen
 */
export function useChoosing(canChoose: boolean) {
  const [wantsToChoose, setWantsToChoose] = useState(canChoose);
  return { canChoose, chooses: wantsToChoose && canChoose, setChooses: setWantsToChoose };
}

/** Switches between the two. */
export function ChooseOrWrite({
  label,
  choosing: { canChoose, chooses, setChooses },
}: {
  label: string;
  choosing: ReturnType<typeof useChoosing>;
}) {
  return (
    <SegmentedControl
      aria-label={label}
      value={chooses ? 'choose' : 'query'}
      data={[
        { value: 'choose', label: 'Choose', disabled: !canChoose },
        { value: 'query', label: 'Write a query' },
      ]}
      onChange={(next) => setChooses(next === 'choose')}
    />
  );
}
