import { useState } from 'react';
import targetClasses from '../../alerting/target-fields.module.css';
import { TargetFields } from '../../alerting/target-fields.tsx';
import { Select, Stack, TextInput } from '../../ui/mantine.ts';
import { Distribution } from './distribution.tsx';
import { emptySloSymptom, type SloSymptom, toMilliseconds } from './slo-symptom.ts';

const KINDS = [
  { value: 'availability', label: 'Availability' },
  { value: 'latency', label: 'Latency' },
];
const HELP = {
  availability: 'Requests without an error are good',
  latency: 'Requests that take less than the threshold are good',
} as const;

/** Chooses which requests are good, without OQL. */
export function SloSymptomFields({
  symptom: chosen,
  environment,
  onChange,
}: {
  /** Null until something is chosen. */
  symptom: SloSymptom | null;
  environment: string | undefined;
  onChange: (symptom: SloSymptom) => void;
}) {
  const symptom = chosen ?? emptySloSymptom;
  const { kind, threshold } = symptom;
  const set = (change: Partial<SloSymptom>) => onChange({ ...symptom, ...change });
  return (
    <Stack gap="sm">
      <div className={targetClasses.fields}>
        <Select
          label="Promise"
          description={chosen !== null && HELP[kind]}
          placeholder="Choose what to promise"
          data={KINDS}
          value={chosen === null ? null : kind}
          onChange={(next) => set({ kind: next as SloSymptom['kind'] })}
        />
        <TargetFields target={symptom} environment={environment} onChange={set} />
        {kind === 'latency' && <ThresholdInput threshold={threshold} onChange={(next) => set({ threshold: next })} />}
      </div>
      {kind === 'latency' && (
        <Distribution
          target={symptom}
          environment={environment}
          threshold={threshold}
          onChange={(next) => set({ threshold: next })}
        />
      )}
    </Stack>
  );
}

/** The threshold in milliseconds. What is no duration is not taken. */
function ThresholdInput({ threshold, onChange }: { threshold: number; onChange: (threshold: number) => void }) {
  const [typed, setTyped] = useState({ text: '', threshold: 0 });
  const text = typed.threshold === threshold ? typed.text : toMilliseconds(threshold);
  return (
    <TextInput
      label="Threshold"
      inputMode="decimal"
      rightSection={<span className="dim">ms</span>}
      value={text}
      error={nanosecondsOf(text) === undefined && 'Enter milliseconds, more than 0'}
      onChange={({ currentTarget: { value } }) => {
        const next = nanosecondsOf(value);
        setTyped({ text: value, threshold: next ?? threshold });
        if (next !== undefined) onChange(next);
      }}
    />
  );
}

function nanosecondsOf(text: string): number | undefined {
  const nanoseconds = Math.round(Number(text) * 1e6);
  return text.trim() !== '' && nanoseconds >= 1 && nanoseconds <= 1e15 ? nanoseconds : undefined;
}
