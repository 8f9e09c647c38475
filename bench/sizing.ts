/**
 * Servers, disks, memory and network for a load, from the figures of `bench/sizing/figures.ts`. Without options it prints the tables of
 * docs/guides/scaling.md, which a test compares with the guide.
 *
 *     npx tsx bench/sizing.ts [--spans 10000] [--logs 10000] [--series 100000] [--days 30] [--queries 1]
 *       --spans, --logs, --queries   a second; queries of spans, each over 15 minutes
 *       --series                     active ones, with a point every 15 seconds
 */
import { parseArgs } from 'node:util';
import { simulationTable, sizingTable } from './sizing/page.ts';

const option = { type: 'string' } as const;
const { values } = parseArgs({
  options: { spans: option, logs: option, series: option, days: option, queries: option },
});
if (Object.keys(values).length === 0) console.log(`${sizingTable()}\n\n${simulationTable()}`);
else {
  const { spans = '0', logs = '0', series = '0', days = '30', queries = '0' } = values;
  const load = { spansPerSecond: Number(spans), logsPerSecond: Number(logs), series: Number(series) };
  console.log(sizingTable([{ ...load, retentionDays: Number(days), queriesPerSecond: Number(queries) }]));
}
