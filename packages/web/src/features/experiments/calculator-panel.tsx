import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useScope } from '../../app/session.ts';
import { formatExact, formatPercent } from '../../ui/format/index.ts';
import { TextInput, useDebouncedValue } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import classes from './experiments.module.css';
import { type CalculatorFields, calculatorQuery } from './queries.ts';

const labels: Readonly<Record<keyof CalculatorFields, string>> = {
  baseline: 'Share that converts now, such as 0.1',
  effect: 'Effect to find, such as 0.05 for 5%',
  arms: 'Variants with the control',
  daily: 'Units per day',
};

/** How many units an experiment needs, and how long that takes. */
export function CalculatorPanel() {
  const scope = useScope();
  const [fields, setFields] = useState<CalculatorFields>({ baseline: '0.1', effect: '0.1', arms: '2', daily: '10000' });
  const [asked] = useDebouncedValue(fields, 300);
  const { data, error } = useQuery({ ...calculatorQuery(scope, asked), retry: false, placeholderData: (old) => old });
  return (
    <Panel title="How long will it take?">
      <div className={classes.stack}>
        <div className={classes.fields}>
          {(Object.keys(labels) as (keyof CalculatorFields)[]).map((name) => (
            <TextInput
              key={name}
              label={labels[name]}
              inputMode="decimal"
              value={fields[name]}
              onChange={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
            />
          ))}
        </div>
        <ErrorNotice error={error} />
        {data && (
          <dl className={classes.facts} aria-label="Units needed">
            {(['sequential', 'fixed'] as const).map((kind) => (
              <div key={kind}>
                <dt>{kind === 'sequential' ? 'If you look whenever you like' : 'If you look once, at the end'}</dt>
                <dd>
                  {formatExact(data[kind].per_arm)} per variant
                  {data[kind].days !== null && `, ${formatExact(data[kind].days)} days`}
                </dd>
              </div>
            ))}
            <div>
              <dt>Chance to find the effect</dt>
              <dd>{formatPercent(0.8)}, at a 5% error rate</dd>
            </div>
          </dl>
        )}
      </div>
    </Panel>
  );
}
