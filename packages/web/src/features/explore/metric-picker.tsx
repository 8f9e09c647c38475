import { useMemo } from 'react';
import { useOql } from '../../telemetry/oql.ts';
import { Select } from '../../ui/mantine.ts';
import { LIST_ROWS, listedMetrics, listQuery } from '../metrics/metric-grid.ts';
import { aggregationsOf, chartQuery, metricName } from '../metrics/metric-query.ts';

/** Chooses a metric of the window: as a source, and as the query that draws it. */
export function MetricPicker({ onPick }: { onPick: (picked: { source: string; query: string }) => void }) {
  const { data, isPending } = useOql(listQuery, { limit: LIST_ROWS });
  const metrics = useMemo(() => (data === undefined ? [] : listedMetrics(data.result)), [data]);
  return (
    <Select
      allowDeselect
      aria-label="Metric"
      size="xs"
      w={240}
      placeholder="Choose a metric"
      nothingFoundMessage={isPending ? 'Loading the metrics' : 'There is no such metric in this window'}
      searchable
      limit={200}
      data={metrics.map(({ name }) => name)}
      value={null}
      onChange={(name) => {
        const of = metrics.find((one) => one.name === name);
        if (of === undefined) return;
        const [aggregation = 'avg'] = aggregationsOf(of);
        onPick({
          source: `metric ${metricName(of.name)}`,
          query: chartQuery({ metric: of.name, of, aggregation, bucket: 'auto' }),
        });
      }}
    />
  );
}
