import {
  Analysis,
  createExperiment,
  ExperimentDraft,
  type ExperimentMetrics,
  getExperiment,
  listExperiments,
  removeExperiment,
  replaceExperiment,
  replaceExperimentMetrics,
} from '@fanion/contract';
import { withoutDefaults } from '../defaults.ts';
import { same } from '../differences.ts';
import { changedMeanwhile, defineKind } from '../kind.ts';
import { listAll } from '../list-all.ts';
import { type MetricKeys, readMetricKeys, unknownMetric } from '../metric-keys.ts';

const roles = ['goals', 'secondary', 'guardrails'] as const;

/**
 * An experiment in a file: what it compares, with metrics by key. Its key identifies it. A file never starts or stops it;
 * archived ones are left alone.
 */
export const experiments = defineKind<ExperimentDraft>({
  folder: 'experiments',
  noun: 'experiment',
  schema: ExperimentDraft,
  nameOf: ({ key }) => key,

  async check({ metrics }, _, context) {
    const keys = await readMetricKeys(context);
    return roles.flatMap((role) => metrics[role].flatMap((key, i) => unknownMetric(keys, key, ['metrics', role, i])));
  },

  async list(context) {
    const { client, scope } = context.connection;
    const all = await listAll((query) => client.call(listExperiments, { params: scope, query }));
    if (all.length === 0) return [];
    const keys = await readMetricKeys(context);
    return all.map((experiment) => {
      const { id, version, state, key, name, hypothesis, flag, environment, control, variants } = experiment;
      const { bucket_by, audience, layer, traffic, analysis } = experiment;
      const document = ExperimentDraft.parse({
        ...{
          key,
          name,
          hypothesis,
          flag,
          environment,
          control,
          variants,
          bucket_by,
          audience,
          layer,
          traffic,
          analysis,
        },
        metrics: byKey(experiment.metrics, keys),
      });
      return { id, version, document, isPast: state === 'archived' };
    });
  },

  fileOf({ analysis, ...document }) {
    const settings = withoutDefaults(Analysis, analysis);
    return {
      ...withoutDefaults(ExperimentDraft, document),
      ...(Object.keys(settings).length > 0 && { analysis: settings }),
    };
  },

  async create(document, { connection: { client, scope } }) {
    await client.call(createExperiment, { params: scope, body: document });
  },

  /** Of one that runs, only metrics can change; the server says so of the rest. */
  async update({ id, version, document: before }, document, { connection: { client, scope } }) {
    const params = { ...scope, id };
    const { state, version: now } = (await client.call(getExperiment, { params })).data;
    if (now !== version) throw changedMeanwhile();
    const { metrics, ...rest } = document;
    const { metrics: _, ...restBefore } = before;
    if (state === 'running' && same(rest, restBefore)) {
      await client.call(replaceExperimentMetrics, { params, body: { ...metrics, version } });
      return;
    }
    const { key: __, ...body } = document;
    await client.call(replaceExperiment, { params, body: { ...body, version } });
  },

  async remove({ id }, { connection: { client, scope } }) {
    await client.call(removeExperiment, { params: { ...scope, id } });
  },

  async versionOf({ id }, { connection: { client, scope } }) {
    return (await client.call(getExperiment, { params: { ...scope, id } })).data.version;
  },
});

function byKey({ goals, secondary, guardrails }: ExperimentMetrics, { keyOf }: MetricKeys): ExperimentMetrics {
  return { goals: goals.map(keyOf), secondary: secondary.map(keyOf), guardrails: guardrails.map(keyOf) };
}
