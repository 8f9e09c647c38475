import {
  ApiError,
  getPrerequisites,
  getSegment,
  getTargeting,
  listEnvironments,
  listFlagChanges,
  listFlags,
  listSegments,
} from '@fanion/contract';
import { withoutLayout } from '@fanion/flag-engine';
import type { Connection } from '../files/connect.ts';
import { listAll } from '../files/list-all.ts';
import { FlagDocument, type SegmentDocument, segmentDocumentOf } from './document.ts';

/** A flag on the server. */
export interface RemoteFlag {
  readonly document: FlagDocument;
  readonly version: number;
  /** Versions of the targeting, by environment key. */
  readonly versions: Readonly<Record<string, number>>;
}

export interface RemoteSegment {
  readonly document: SegmentDocument;
  readonly version: number;
}

/** The state of a project, as far as it was read. */
export interface RemoteState {
  /** Undefined when this token may not list them. */
  readonly environments: readonly string[] | undefined;
  readonly flags: ReadonlyMap<string, RemoteFlag>;
  readonly archived: ReadonlySet<string>;
  /** Keys of all flags, read or not. */
  readonly flagKeys: ReadonlySet<string>;
  readonly segments: ReadonlyMap<string, RemoteSegment>;
  readonly segmentKeys: ReadonlySet<string>;
  /** Comments of the changes that wait for approval. */
  readonly pending: readonly string[];
}

/** Number of concurrent requests. */
const CONCURRENCY = 6;

/**
 * Reads the flags and segments of a project, with the targeting in every environment.
 *
 * @param wanted which of them; all by default
 * @throws ApiError
 */
export async function readRemote(
  { client, scope }: Connection,
  wanted: { flag(key: string): boolean; segment(key: string): boolean } = { flag: () => true, segment: () => true },
): Promise<RemoteState> {
  const params = scope;
  const live = await listAll((query) => client.call(listFlags, { params, query }));
  const all = await listAll((query) => client.call(listFlags, { params, query: { ...query, archived: 'true' } }));
  const segments = await listAll((query) => client.call(listSegments, { params, query }));
  const pending = await listAll((query) =>
    client.call(listFlagChanges, { params, query: { ...query, status: 'pending' } }),
  );
  const flags = await each(
    live.filter((flag) => wanted.flag(flag.key)),
    async (flag): Promise<[string, RemoteFlag]> => {
      const at = { ...scope, key: flag.key };
      const { prerequisites } = (await client.call(getPrerequisites, { params: at })).data;
      const versions: Record<string, number> = {};
      const served: Record<string, unknown> = {};
      for (const { environment: e } of flag.environments) {
        const { data } = await client.call(getTargeting, { params: { ...at, e } });
        const { enabled, off_variant, fallthrough, targets, rules, version } = data;
        versions[e] = version;
        served[e] = {
          enabled,
          off_variant,
          fallthrough: withoutLayout(fallthrough),
          targets,
          rules: rules.map(withoutLayout),
        };
      }
      const { key, name, description, kind, variants, default_variant, off_variant, tags, temporary } = flag;
      const common = { key, name, description, kind, variants, default_variant, off_variant, tags, temporary };
      // Defaults are omitted, so that a file shows what is special about its flag.
      const special = {
        ...(Object.keys(flag.metadata).length > 0 && { metadata: flag.metadata }),
        ...(!flag.client_visible && { client_visible: false }),
      };
      const document = FlagDocument.parse({ ...common, ...special, prerequisites, environments: served });
      return [key, { document, version: flag.version, versions }];
    },
  );
  const read = await each(
    segments.filter((segment) => wanted.segment(segment.key)),
    async ({ key }): Promise<[string, RemoteSegment]> => {
      const { data } = await client.call(getSegment, { params: { ...scope, skey: key } });
      return [key, { document: segmentDocumentOf(data), version: data.version }];
    },
  );
  return {
    environments: await readEnvironments({ client, scope }),
    flags: new Map(flags),
    archived: new Set(all.filter((flag) => flag.archived).map(({ key }) => key)),
    flagKeys: new Set(live.map(({ key }) => key)),
    segments: new Map(read),
    segmentKeys: new Set(segments.map(({ key }) => key)),
    pending: pending.flatMap(({ comment }) => comment ?? []),
  };
}

/**
 * The keys of the project's environments. They belong to the workspace, so a token that is pinned to a project may not
 * list them. Each flag names them too; without a flag they are unknown.
 *
 * @throws ApiError
 */
export async function readEnvironments({ client, scope }: Connection): Promise<readonly string[] | undefined> {
  const params = scope;
  try {
    // The type of a list without filters allows no field at all, not even `limit` and `cursor`.
    const all = await listAll((query) => client.call(listEnvironments, { params, query }));
    return all.map(({ key }) => key);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    const { data } = await client.call(listFlags, { params, query: { limit: 1 } });
    return data[0]?.environments.map(({ environment }) => environment);
  }
}

/** Limits concurrency; keeps the order. */
async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const queue = items.entries();
  const worker = async () => {
    for (const [i, item] of queue) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}
