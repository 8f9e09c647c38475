import { parseArgs } from 'node:util';
import { connectionOptions, guarded, helped } from '../files/command.ts';
import { connect, UsageError } from '../files/connect.ts';
import { converting } from '../files/converting.ts';
import { finishImport, type Imported, importExitCodes, importOptions, importUsage } from '../files/import-resources.ts';
import { channels } from '../files/kinds/channels.ts';
import { inhibitionRules } from '../files/kinds/inhibition-rules.ts';
import { routingPolicies } from '../files/kinds/routing-policies.ts';
import { count } from '../files/part.ts';
import { Report } from '../files/report.ts';
import { processTerminal, type Terminal } from '../files/terminal.ts';
import { readYamlFile } from '../files/yaml-file.ts';
import { convertAlertmanager } from './convert.ts';

const usage = `fanion import alertmanager FILE: imports routes, receivers and inhibition rules of an Alertmanager

${importUsage}

${importExitCodes}`;

/** `fanion import alertmanager FILE`: its routes become routing policies, its receivers channels. */
export function importAlertmanagerCommand(
  argv: readonly string[],
  terminal: Terminal = processTerminal(),
): Promise<number> {
  return guarded('import', terminal, async () => {
    if (helped(argv, usage, terminal)) return 0;
    const { positionals, values } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { ...connectionOptions, ...importOptions },
    });
    const [file, another] = positionals;
    if (file === undefined || another !== undefined)
      throw new UsageError('name the configuration of Alertmanager: one file');
    const content = await readYamlFile(file);
    const imported = converting(`${file}: `, () => importedFrom(file, content));
    const { output, 'dry-run': dryRun, yes, strict } = values;
    return finishImport(imported, { output, dryRun, yes, strict }, () => connect(values, terminal.env), terminal);
  });
}

/** @throws NotThisFormat */
function importedFrom(file: string, content: unknown): Imported {
  const report = new Report();
  const converted = convertAlertmanager(content, report);
  const { routes, intervals } = converted.counts;
  const parts = [
    count(converted.channels.length, 'channel'),
    count(routes, 'routing policy'),
    count(converted.inhibitionRules.length, 'inhibition rule'),
    count(intervals, 'time interval'),
  ];
  return {
    kinds: [
      {
        kind: channels,
        documents: converted.channels.map(({ content: { name, ...rest } }) => ({
          where: `${file}: receiver ${name}`,
          name,
          content: short({ name, ...rest }),
        })),
      },
      {
        kind: routingPolicies,
        documents: [{ where: `${file}: route`, name: 'root', content: converted.routing }],
      },
      {
        kind: inhibitionRules,
        documents: converted.inhibitionRules.map((rule, i) => ({
          where: `${file}: inhibit_rules[${i}]`,
          name: String(rule.name),
          content: rule,
        })),
      },
    ],
    notes: report.notes,
    summary: parts.join(', '),
    secrets: Object.assign({}, ...converted.channels.map(({ values }) => values)),
  };
}

/** Without empty objects. */
function short(content: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(content).filter(([key, value]) => !(value === true && key === 'send_resolved') && !isEmpty(value)),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
