import {
  AlertRuleDraft,
  createAlertRule,
  getAlertRule,
  listAlertRules,
  removeAlertRule,
  updateAlertRule,
} from '@fanion/contract';
import type { z } from 'zod';
import { withoutDefaults } from '../defaults.ts';
import { defineKind } from '../kind.ts';
import { listAll } from '../list-all.ts';
import { queryProblems } from '../query-problems.ts';

/** An alert rule in a file: as in the API, in the project of the command. */
export const AlertRuleDocument = AlertRuleDraft.omit({ project: true });
export type AlertRuleDocument = z.output<typeof AlertRuleDocument>;

/** What the server fills in by other fields; both forms then compare as equal. */
const Normal = AlertRuleDocument.transform((document) => ({
  ...document,
  window: document.window ?? defaultWindow(document.every),
}));

/** As the server does it: one interval, and at least a minute. */
function defaultWindow(every: string): string {
  const [, amount = '0', unit] = /^(\d+)([smhdw])$/.exec(every) ?? [];
  return unit === 's' && Number(amount) < 60 ? '1m' : every;
}

export const alertRules = defineKind<z.output<typeof Normal>>({
  folder: 'alert-rules',
  noun: 'alert rule',
  schema: Normal,
  placeOf: ({ environment }) => environment,
  markOf: ({ labels }) => labels,
  check: queryProblems,

  async list({ connection: { client, scope } }) {
    const params = { ws: scope.ws };
    const all = await listAll((page) => client.call(listAlertRules, { params, query: { ...page, project: scope.p } }));
    return all.flatMap((rule) => {
      // Made and removed by its SLO.
      if (rule.kind === 'slo_burn') return [];
      const { id, version, name, query, query_language, kind, condition, every, offset, window, labels, annotations } =
        rule;
      const { no_data, missing_series, on_error, enabled, change, environment, runbook_url } = rule;
      const document = Normal.parse({
        ...{ name, query, query_language, kind, condition, every, offset, window, labels, annotations },
        ...{ no_data, missing_series, on_error, enabled },
        ...(change !== null && { change }),
        ...(environment !== null && { environment }),
        ...(runbook_url !== null && { runbook_url }),
      });
      return [{ id, version, document }];
    });
  },

  fileOf(document) {
    const { window, ...rest } = document;
    return withoutDefaults(AlertRuleDocument, window === defaultWindow(document.every) ? rest : document);
  },

  async create(document, { connection: { client, scope } }) {
    await client.call(createAlertRule, { params: { ws: scope.ws }, body: { ...document, project: scope.p } });
  },

  async update({ id, version }, document, { connection: { client, scope } }) {
    const { environment: _, runbook_url = null, ...rest } = document;
    const body = { ...rest, runbook_url, version };
    await client.call(updateAlertRule, { params: { ws: scope.ws, id }, body });
  },

  async remove({ id }, { connection: { client, scope } }) {
    await client.call(removeAlertRule, { params: { ws: scope.ws, id } });
  },

  async versionOf({ id }, { connection: { client, scope } }) {
    return (await client.call(getAlertRule, { params: { ws: scope.ws, id } })).data.version;
  },
});
