import { basename } from 'node:path';
import { UsageError } from '../files/connect.ts';
import { converting } from '../files/converting.ts';
import { alertRules } from '../files/kinds/alert-rules.ts';
import { recordingRules } from '../files/kinds/recording-rules.ts';
import { count } from '../files/part.ts';
import { Report } from '../files/report.ts';
import { readYamlFile } from '../files/yaml-file.ts';
import type { Importer } from '../imports/importer.ts';
import { type ImportedKinds, importedKinds } from '../imports/kinds.ts';
import { type ConvertRulesOptions, convertRules, type RuleFile } from './convert.ts';

/** Rules of Prometheus become alert rules and recording rules in PromQL. */
export const prometheusImporter: Importer = {
  options: ['interval', 'environment'],
  async read({ files: names, texts }) {
    if (names.length === 0) throw new UsageError('name at least one rule file');
    const { interval = '1m', environment } = texts;
    if (!/^\d+(s|m|h)$/.test(interval)) throw new UsageError('--interval must be a duration such as 30s or 1m');
    const files = await Promise.all(
      names.map(async (file): Promise<RuleFile> => ({ name: basename(file), content: await readYamlFile(file) })),
    );
    const isIntervalAssumed = texts.interval === undefined;
    const options = { interval, isIntervalAssumed, environment };
    return importedKinds(converting('', () => importedFrom(files, options)));
  },
};

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
