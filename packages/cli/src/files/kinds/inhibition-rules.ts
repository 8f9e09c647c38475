import {
  createInhibitionRule,
  getInhibitionRule,
  LabelName,
  listInhibitionRules,
  Name,
  removeInhibitionRule,
  updateInhibitionRule,
} from '@fanion/contract';
import { z } from 'zod';
import { defineKind } from '../kind.ts';
import { listAll } from '../list-all.ts';
import { FileMatchers, matcherText } from '../matchers.ts';

export const InhibitionRuleDocument = z.strictObject({
  name: Name,
  source: FileMatchers.min(1),
  target: FileMatchers.min(1),
  equal: z.array(LabelName).max(20).default([]),
});
export type InhibitionRuleDocument = z.output<typeof InhibitionRuleDocument>;

export const inhibitionRules = defineKind<InhibitionRuleDocument>({
  folder: 'inhibition-rules',
  noun: 'inhibition rule',
  schema: InhibitionRuleDocument,
  markOf: ({ source, target, equal }) => [source, target, equal],

  async list({ connection: { client, scope } }) {
    const params = { ws: scope.ws };
    const all = await listAll((query) => client.call(listInhibitionRules, { params, query }));
    return all.map(({ id, version, name, source, target, equal }) => ({
      id,
      version,
      document: { name, source, target, equal },
    }));
  },

  fileOf: ({ name, source, target, equal }) => ({
    name,
    source: source.map(matcherText),
    target: target.map(matcherText),
    ...(equal.length > 0 && { equal }),
  }),

  async create(document, { connection: { client, scope } }) {
    await client.call(createInhibitionRule, { params: { ws: scope.ws }, body: document });
  },

  async update({ id, version }, document, { connection: { client, scope } }) {
    await client.call(updateInhibitionRule, { params: { ws: scope.ws, id }, body: { ...document, version } });
  },

  async remove({ id }, { connection: { client, scope } }) {
    await client.call(removeInhibitionRule, { params: { ws: scope.ws, id } });
  },

  async versionOf({ id }, { connection: { client, scope } }) {
    return (await client.call(getInhibitionRule, { params: { ws: scope.ws, id } })).data.version;
  },
});
