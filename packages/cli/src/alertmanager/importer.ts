import { UsageError } from '../files/connect.ts';
import { converting } from '../files/converting.ts';
import { channels } from '../files/kinds/channels.ts';
import { inhibitionRules } from '../files/kinds/inhibition-rules.ts';
import { routingPolicies } from '../files/kinds/routing-policies.ts';
import { count } from '../files/part.ts';
import { Report } from '../files/report.ts';
import { readYamlFile } from '../files/yaml-file.ts';
import type { Importer } from '../imports/importer.ts';
import { type ImportedKinds, importedKinds } from '../imports/kinds.ts';
import { convertAlertmanager } from './convert.ts';

/** The routes of an Alertmanager become routing policies, its receivers channels. */
export const alertmanagerImporter: Importer = {
  options: [],
  async read({ files: [file, another] }) {
    if (file === undefined || another !== undefined)
      throw new UsageError('name the configuration of Alertmanager: one file');
    const content = await readYamlFile(file);
    return importedKinds(converting(`${file}: `, () => importedFrom(file, content)));
  },
};

/** @throws NotThisFormat */
function importedFrom(file: string, content: unknown): ImportedKinds {
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
