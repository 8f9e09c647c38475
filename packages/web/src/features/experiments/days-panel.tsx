import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useScope } from '../../app/session.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { seriesColour } from '../../ui/colours.ts';
import { Group, Select, useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { daysOf, differenceText } from './experiment-words.ts';
import { daysQuery, type Experiment, type Results } from './queries.ts';
import { VariantSelect } from './variant-select.tsx';

const dayMs = 86_400_000;

function seriesOf({ times, difference, low, high }: ReturnType<typeof daysOf>, scheme: 'light' | 'dark') {
  return [
    { label: 'difference', colour: seriesColour(0, scheme), values: difference },
    { label: 'at least', colour: seriesColour(4, scheme), values: low },
    { label: 'at most', colour: seriesColour(2, scheme), values: high },
    { label: 'no difference', colour: seriesColour(9, scheme), values: times.map(() => 0) },
  ];
}

/** How the difference of a metric developed, from the start to the end of each day. */
export function DaysPanel({ experiment, results }: { experiment: Experiment; results: Results }) {
  const scope = useScope();
  const scheme = useComputedColorScheme();
  const metrics = results.metrics.filter(({ error }) => error === null);
  const others = experiment.variants.filter(({ variant }) => variant !== experiment.control);
  const [id, setId] = useState(metrics[0]?.metric ?? '');
  const [variant, setVariant] = useState(others[0]?.variant ?? '');
  const { data, error, refetch } = useQuery(daysQuery(scope, experiment.id));
  const days = useMemo(() => daysOf(data ?? [], id, variant), [data, id, variant]);
  const { key, kind } = metrics.find(({ metric }) => metric === id) ?? { key: '', kind: '' };
  const first = days.times[0] ?? 0;
  if (metrics.length === 0) return null;
  return (
    <Panel
      title="Day by day"
      actions={
        <Group gap="xs">
          <Select
            aria-label="Metric"
            size="xs"
            w={180}
            value={id}
            data={metrics.map(({ metric, name }) => ({ value: metric, label: name }))}
            onChange={(next) => next !== null && setId(next)}
          />
          <VariantSelect label="Variant" variants={others} value={variant} onChange={setVariant} />
        </Group>
      }
    >
      <Loaded query={{ data, error, refetch }} label="Computing the days" compact>
        {() =>
          days.times.length === 0 ? (
            <span className="dim">The first day is not measured yet.</span>
          ) : (
            <>
              <Chart
                label={`Difference of ${variant} to ${experiment.control}, by day`}
                times={days.times}
                series={seriesOf(days, scheme)}
                format={(value) => differenceText({ key, kind }, value)}
                window={{ from: first, to: Math.max(days.times.at(-1) ?? 0, first + dayMs) }}
                height={190}
                marks={experiment.phases
                  .slice(1)
                  .map(({ from, reason }) => ({ time: Date.parse(from), label: reason }))}
              />
              <p className="dim">
                {variant} minus {experiment.control}, with everything measured up to the end of each day (UTC). The
                bounds narrow as units arrive.
              </p>
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}
