import { basename } from 'node:path';
import { runQuery } from '@fanion/contract';
import { type Connection, UsageError } from '../files/connect.ts';
import { converting } from '../files/converting.ts';
import { alertRules } from '../files/kinds/alert-rules.ts';
import { recordingRules } from '../files/kinds/recording-rules.ts';
import { count } from '../files/part.ts';
import { Report } from '../files/report.ts';
import { readYamlFile } from '../files/yaml-file.ts';
import type { Importer } from '../imports/importer.ts';
import { type ImportedKinds, importedKinds } from '../imports/kinds.ts';
import { type ConvertRulesOptions, convertRules, type RuleFile } from './convert.ts';

/** Rules of Prometheus become alert rules and recording rules, their PromQL becomes OQL. */
export const prometheusImporter: Importer = {
  options: ['labels', 'interval', 'environment'],
  async read({ files: names, texts, hasToken, connect }) {
    if (names.length === 0) throw new UsageError('name at least one rule file');
    const { interval = '1m', environment } = texts;
    if (!/^\d+(s|m|h)$/.test(interval)) throw new UsageError('--interval must be a duration such as 30s or 1m');
    const files = await Promise.all(
      names.map(async (file): Promise<RuleFile> => ({ name: basename(file), content: await readYamlFile(file) })),
    );
    const named = texts.labels?.split(',').flatMap((label) => label.trim() || []);
    const labels =
      texts.output === undefined || hasToken ? [...(named ?? []), ...(await readLabels(await connect()))] : named;
    const isIntervalAssumed = texts.interval === undefined;
    const options = { labels, interval, isIntervalAssumed, environment };
    return importedKinds(converting('', () => importedFrom(files, options)));
  },
};

/** The attributes that metrics of the last day have. */
async function readLabels({ client, scope }: Connection): Promise<string[]> {
  const query = 'fields | where signal == "metric" and scope == "attribute" | fields name';
  const body = { query, from: 'now-1d', to: 'now', project: scope.p, limit: 10_000 };
  const { data } = await client.call(runQuery, { params: { ws: scope.ws }, body });
  return data.rows.map(([name]) => String(name)).filter((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
}

/** @throws NotThisFormat */
function importedFrom(files: readonly RuleFile[], options: ConvertRulesOptions): ImportedKinds {
  const report = new Report();
  const { alertRules: alerts, recordingRules: records, count: all } = convertRules(files, options, report);
  return {
    kinds: [
      { kind: recordingRules, documents: records },
      { kind: alertRules, documents: alerts },
    ],
    notes: report.notes,
    summary: `${count(alerts.length, 'alert rule')} and ${count(records.length, 'recording rule')} of ${count(all, 'rule')}`,
  };
}
