import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useScope } from '../../app/session.ts';
import { TextInput, useDebouncedValue } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import classes from './experiments.module.css';
import { EffectSlider, PowerPlan } from './power-plan.tsx';
import { calculatorQuery } from './queries.ts';

const labels = {
  baseline: 'Share that converts now, such as 0.1',
  arms: 'Variants with the control',
  daily: 'Units per day',
} as const;

/** How many units an experiment needs, and how long that takes, for numbers that the user knows. */
export function CalculatorPanel() {
  const scope = useScope();
  const [fields, setFields] = useState({
    kind: 'conversion',
    baseline: '0.1',
    effect: '0.1',
    arms: '2',
    daily: '10000',
  });
  const [asked] = useDebouncedValue(fields, 150);
  const { data, error } = useQuery({
    ...calculatorQuery(scope, asked),
    retry: false,
    placeholderData: keepPreviousData,
  });
  return (
    <Panel title="How long will it take?">
      <div className={classes.stack}>
        <div className={classes.fields}>
          {(Object.keys(labels) as (keyof typeof labels)[]).map((name) => (
            <TextInput
              key={name}
              label={labels[name]}
              inputMode="decimal"
              value={fields[name]}
              onChange={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
            />
          ))}
        </div>
        <EffectSlider
          effect={Number(fields.effect)}
          onChange={(effect) => setFields({ ...fields, effect: String(effect) })}
        />
        <ErrorNotice error={error} />
        {data && <PowerPlan plan={data} />}
        <span className="dim">
          With a chance of 80% to find the effect, at a 5% error rate. A new experiment does the same with the traffic
          of its flag.
        </span>
      </div>
    </Panel>
  );
}
