import { getGuardedRelease, listGuardedReleases, putGuardedRelease, removeGuardedRelease } from '@fanion/contract';
import { z } from 'zod';
import { withoutDefaults } from '../defaults.ts';
import { type Context, defineKind, type Existing, NotDone, type Problem } from '../kind.ts';
import { listAll } from '../list-all.ts';
import { readMetricKeys, unknownMetric } from '../metric-keys.ts';

/**
 * The plan of a guarded release in a file, with metrics by key and channels by name. What it did is no part of it, and a
 * file never arms it.
 */
export const GuardedReleaseDocument = putGuardedRelease.body.omit({ version: true }).extend({
  flag: z.string().min(1).max(128),
  environment: z.string().min(1).max(128),
  channels: z.array(z.string().min(1).max(200)).max(20).default([]),
});
/** Its name is its flag. */
const Named = GuardedReleaseDocument.transform((document) => ({ name: document.flag, ...document }));
type GuardedReleaseDocument = z.output<typeof Named>;

export const guardedReleases = defineKind<GuardedReleaseDocument>({
  folder: 'guarded-releases',
  noun: 'guarded release',
  schema: Named,
  placeOf: ({ environment }) => environment,

  async check({ guards, channels }, _, context) {
    const keys = await readMetricKeys(context);
    const unknown = (name: string, i: number): Problem[] =>
      context.channels.has(name) ? [] : [{ path: ['channels', i], message: `no channel is called ${name}` }];
    return [
      ...guards.flatMap(({ metric }, i) => unknownMetric(keys, metric, ['guards', i, 'metric'])),
      ...channels.flatMap(unknown),
    ];
  },

  async list(context) {
    const { client, scope } = context.connection;
    const all = await listAll((query) => client.call(listGuardedReleases, { params: scope, query }));
    if (all.length === 0) return [];
    const { keyOf } = await readMetricKeys(context);
    return all.map(({ id, version, guards, channels, ...release }) => {
      const { flag, environment, variant, steps, bucket_by, alpha, when_unsure, hold_at_most, watch } = release;
      const document = Named.parse({
        ...{ flag, environment, variant, steps, bucket_by, alpha, when_unsure, hold_at_most, watch },
        guards: guards.map((guard) => ({ ...guard, metric: keyOf(guard.metric) })),
        channels: channels.map((channel) => context.channels.nameOf(channel)),
      });
      return { id, version, document };
    });
  },

  fileOf({ steps, guards, ...document }) {
    const { shape } = GuardedReleaseDocument;
    const { flag, environment, ...rest } = withoutDefaults(GuardedReleaseDocument, document) as Readonly<
      Record<string, unknown>
    >;
    return {
      ...{ flag, environment, variant: document.variant },
      steps: steps.map((step) => withoutDefaults(shape.steps.element, step)),
      guards: guards.map((guard) => withoutDefaults(shape.guards.element, guard)),
      ...rest,
    };
  },

  create: (document, context) => put(document, context, undefined),
  update: ({ version }, document, context) => put(document, context, version),

  async remove({ document }, { connection: { client, scope } }) {
    await client.call(removeGuardedRelease, { params: { ...scope, ...placeOf(document) } });
  },

  async versionOf({ document }: Existing<GuardedReleaseDocument>, { connection: { client, scope } }) {
    return (await client.call(getGuardedRelease, { params: { ...scope, ...placeOf(document) } })).data.version;
  },
});

function placeOf({ flag, environment }: GuardedReleaseDocument) {
  return { e: environment, key: flag };
}

/** The server refuses it while the release is armed. */
async function put(document: GuardedReleaseDocument, context: Context, version: number | undefined): Promise<void> {
  const { client, scope } = context.connection;
  const { name: _, flag: __, environment: ___, channels, ...rest } = document;
  const body = {
    ...rest,
    channels: channels.map((name) => {
      const id = context.channels.idOf(name);
      if (id === undefined) throw new NotDone(`no channel is called ${name}`);
      return id;
    }),
    ...(version !== undefined && { version }),
  };
  await client.call(putGuardedRelease, { params: { ...scope, ...placeOf(document) }, body });
}
