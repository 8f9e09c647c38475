import {
  createRecordingRule,
  getRecordingRule,
  listRecordingRules,
  RecordingRuleDraft,
  removeRecordingRule,
  replaceRecordingRule,
} from '@fanion/contract';
import type { z } from 'zod';
import { withoutDefaults } from '../defaults.ts';
import { defineKind } from '../kind.ts';
import { listAll } from '../list-all.ts';
import { queryProblems } from '../query-problems.ts';

/** A recording rule in a file: as in the API, in the project of the command. A back-fill is no part of a rule. */
export const RecordingRuleDocument = RecordingRuleDraft.omit({ project: true, backfill_from: true });
export type RecordingRuleDocument = z.output<typeof RecordingRuleDocument>;

export const recordingRules = defineKind<RecordingRuleDocument>({
  folder: 'recording-rules',
  noun: 'recording rule',
  schema: RecordingRuleDocument,
  placeOf: ({ environment }) => environment,
  markOf: ({ labels }) => labels,
  check: queryProblems,

  async list({ connection: { client, scope } }) {
    const params = { ws: scope.ws };
    const all = await listAll((page) =>
      client.call(listRecordingRules, { params, query: { ...page, project: scope.p } }),
    );
    return all.map((rule) => {
      const {
        id,
        version,
        name,
        query,
        query_language,
        every,
        offset,
        labels,
        unit,
        group,
        position,
        enabled,
        environment,
      } = rule;
      const document = RecordingRuleDocument.parse({
        ...{ name, query, query_language, every, offset, labels, unit, group, position, enabled },
        ...(environment !== null && { environment }),
      });
      return { id, version, document };
    });
  },

  fileOf: (document) => withoutDefaults(RecordingRuleDocument, document),

  async create(document, { connection: { client, scope } }) {
    await client.call(createRecordingRule, { params: { ws: scope.ws }, body: { ...document, project: scope.p } });
  },

  async update({ id, version }, document, { connection: { client, scope } }) {
    const body = { ...document, environment: document.environment ?? null, version };
    await client.call(replaceRecordingRule, { params: { ws: scope.ws, id }, body });
  },

  async remove({ id }, { connection: { client, scope } }) {
    await client.call(removeRecordingRule, { params: { ws: scope.ws, id } });
  },

  async versionOf({ id }, { connection: { client, scope } }) {
    return (await client.call(getRecordingRule, { params: { ws: scope.ws, id } })).data.version;
  },
});
