import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { runQuery } from '@fanion/contract';
import { connectionOptions, guarded, helped } from '../files/command.ts';
import { type Connection, connect, UsageError } from '../files/connect.ts';
import { converting } from '../files/converting.ts';
import { finishImport, type Imported, importExitCodes, importOptions, importUsage } from '../files/import-resources.ts';
import { alertRules } from '../files/kinds/alert-rules.ts';
import { recordingRules } from '../files/kinds/recording-rules.ts';
import { count } from '../files/part.ts';
import { Report } from '../files/report.ts';
import { processTerminal, type Terminal } from '../files/terminal.ts';
import { readYamlFile } from '../files/yaml-file.ts';
import { type ConvertRulesOptions, convertRules, type RuleFile } from './convert.ts';

const usage = `fanion import prometheus-rules FILE…: imports alerting and recording rules of Prometheus

  --labels A,B           all labels that series can have, besides those that the files and the server name
  --interval 1m          how often groups without an interval are evaluated (default: 1m)
  --environment KEY      of the rules; without it, they read the whole project
${importUsage}

${importExitCodes}`;

/** `fanion import prometheus-rules FILE…`: its rules become alert rules and recording rules, their PromQL becomes OQL. */
export function importPrometheusRulesCommand(
  argv: readonly string[],
  terminal: Terminal = processTerminal(),
): Promise<number> {
  return guarded('import', terminal, async () => {
    if (helped(argv, usage, terminal)) return 0;
    const { positionals, values } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        ...connectionOptions,
        ...importOptions,
        labels: { type: 'string' },
        interval: { type: 'string', default: '1m' },
        environment: { type: 'string' },
      },
    });
    if (positionals.length === 0) throw new UsageError('name at least one rule file');
    if (!/^\d+(s|m|h)$/.test(values.interval)) throw new UsageError('--interval must be a duration such as 30s or 1m');
    const files = await Promise.all(
      positionals.map(async (file): Promise<RuleFile> => ({ name: basename(file), content: await readYamlFile(file) })),
    );
    const { output, 'dry-run': dryRun, yes, strict, interval, environment } = values;
    const named = values.labels?.split(',').flatMap((label) => label.trim() || []);
    const hasServer = output === undefined || (values.token ?? terminal.env.FANION_TOKEN ?? '') !== '';
    const connection = hasServer ? await connect(values, terminal.env) : undefined;
    const labels = connection === undefined ? named : [...(named ?? []), ...(await readLabels(connection))];
    const imported = converting('', () => importedFrom(files, { labels, interval, environment }));
    const ready = () => (connection === undefined ? connect(values, terminal.env) : Promise.resolve(connection));
    return finishImport(imported, { output, dryRun, yes, strict }, ready, terminal);
  });
}

/** The attributes that metrics of the last day have. */
async function readLabels({ client, scope }: Connection): Promise<string[]> {
  const query = 'fields | where signal == "metric" and scope == "attribute" | fields name';
  const body = { query, from: 'now-1d', to: 'now', project: scope.p, limit: 10_000 };
  const { data } = await client.call(runQuery, { params: { ws: scope.ws }, body });
  return data.rows.map(([name]) => String(name)).filter((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
}

/** @throws NotThisFormat */
function importedFrom(files: readonly RuleFile[], options: ConvertRulesOptions): Imported {
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
