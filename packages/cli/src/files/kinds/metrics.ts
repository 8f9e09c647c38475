import { createMetric, getMetric, listMetrics, MetricDraft, removeMetric, replaceMetric } from '@fanion/contract';
import type { z } from 'zod';
import { withoutDefaults } from '../defaults.ts';
import { defineKind } from '../kind.ts';
import { listAll } from '../list-all.ts';
import { oqlProblems } from '../oql-problems.ts';

/** A metric in a file: as in the API. Its key identifies it, so its name may change. */
type MetricDocument = z.output<typeof MetricDraft>;

export const metrics = defineKind<MetricDocument>({
  folder: 'metrics',
  noun: 'metric',
  schema: MetricDraft,
  nameOf: ({ key }) => key,
  check: ({ source }) => oqlProblems(source, ['source']),

  async list({ connection: { client, scope } }) {
    const query = { built_in: 'false' } as const;
    const all = await listAll((page) => client.call(listMetrics, { params: scope, query: { ...page, ...query } }));
    return all.map(({ id, version, value, denominator, quantile, steps, retention, ...metric }) => {
      const { key, name, description, kind, source, unit, window, direction, cap, guardrail } = metric;
      const document = MetricDraft.parse({
        ...{ key, name, description, kind, source, unit, window, direction, cap, guardrail },
        ...(value !== null && { value }),
        ...(denominator !== null && { denominator }),
        ...(quantile !== null && { quantile }),
        ...(steps !== null && { steps }),
        ...(retention !== null && { retention }),
      });
      return { id, version, document };
    });
  },

  fileOf: (document) => withoutDefaults(MetricDraft, document),

  async create(document, { connection: { client, scope } }) {
    await client.call(createMetric, { params: scope, body: document });
  },

  async update({ id, version }, { key: _, ...document }, { connection: { client, scope } }) {
    await client.call(replaceMetric, { params: { ...scope, id }, body: { ...document, version } });
  },

  async remove({ id }, { connection: { client, scope } }) {
    await client.call(removeMetric, { params: { ...scope, id } });
  },

  async versionOf({ id }, { connection: { client, scope } }) {
    return (await client.call(getMetric, { params: { ...scope, id } })).data.version;
  },
});
