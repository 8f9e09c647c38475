import { createSlo, getSlo, listSlos, removeSlo, replaceSlo, SloDraft } from '@fanion/contract';
import type { z } from 'zod';
import { withoutDefaults } from '../defaults.ts';
import { defineKind } from '../kind.ts';
import { listAll } from '../list-all.ts';
import { problemsIn } from '../query-problems.ts';

/** An SLO in a file: as in the API, in the project of the command. Its burn-rate alerts come and go with it. */
export const SloDocument = SloDraft.omit({ project: true });
export type SloDocument = z.output<typeof SloDocument>;

export const slos = defineKind<SloDocument>({
  folder: 'slos',
  noun: 'SLO',
  schema: SloDocument,
  placeOf: ({ environment }) => environment,
  check: ({ indicator }) => {
    if (indicator.kind === 'events') return problemsIn(indicator.source, 'oql', ['indicator', 'source']);
    const { query_language: language = 'oql' } = indicator;
    return indicator.kind === 'slices'
      ? problemsIn(indicator.query, language, ['indicator', 'query'])
      : [
          ...problemsIn(indicator.good, language, ['indicator', 'good']),
          ...problemsIn(indicator.total, language, ['indicator', 'total']),
        ];
  },

  async list({ connection: { client, scope } }) {
    const params = { ws: scope.ws };
    const all = await listAll((page) => client.call(listSlos, { params, query: { ...page, project: scope.p } }));
    return all.map((slo) => {
      const { id, version, name, description, indicator, objective, window, burn_alerts, min_events } = slo;
      const document = SloDocument.parse({
        ...{ name, description, indicator, objective, window, burn_alerts, min_events },
        ...(slo.environment !== null && { environment: slo.environment }),
      });
      return { id, version, document };
    });
  },

  fileOf: (document) => withoutDefaults(SloDocument, document),

  async create(document, { connection: { client, scope } }) {
    await client.call(createSlo, { params: { ws: scope.ws }, body: { ...document, project: scope.p } });
  },

  async update({ id, version }, document, { connection: { client, scope } }) {
    const body = { ...document, environment: document.environment ?? null, version };
    await client.call(replaceSlo, { params: { ws: scope.ws, id }, body });
  },

  async remove({ id }, { connection: { client, scope } }) {
    await client.call(removeSlo, { params: { ws: scope.ws, id } });
  },

  async versionOf({ id }, { connection: { client, scope } }) {
    return (await client.call(getSlo, { params: { ws: scope.ws, id } })).data.version;
  },
});
