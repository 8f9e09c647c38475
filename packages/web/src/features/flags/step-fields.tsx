import { Select, TextInput } from '../../ui/mantine.ts';
import { HOLD_UNITS, type StepDraft } from './ramp-plan.ts';
import { parsePercent } from './weights.ts';

/** The percentage of a step, and how long it is held. */
export function StepFields({
  index,
  step,
  error,
  onEdit,
}: {
  index: number;
  step: StepDraft;
  error?: string | undefined;
  onEdit: (change: Partial<StepDraft>) => void;
}) {
  return (
    <>
      <TextInput
        aria-label={`Step ${index + 1}: percentage`}
        inputMode="decimal"
        rightSection={<span className="dim">%</span>}
        value={step.percent}
        error={error !== undefined && parsePercent(step.percent) === null}
        onChange={(event) => onEdit({ percent: event.currentTarget.value })}
      />
      <TextInput
        aria-label={`Step ${index + 1}: how long it is held`}
        inputMode="numeric"
        leftSection={<span className="dim">for</span>}
        value={step.count}
        error={error}
        onChange={(event) => onEdit({ count: event.currentTarget.value })}
      />
      <Select
        aria-label={`Step ${index + 1}: unit of time`}
        value={step.unit}
        data={HOLD_UNITS}
        onChange={(unit) => unit !== null && onEdit({ unit })}
      />
    </>
  );
}
