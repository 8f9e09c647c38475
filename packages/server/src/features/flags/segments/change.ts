import {
  type DependencyGraph,
  type SegmentDraft,
  segmentCycle,
  segmentsNamed,
  validateSegment,
} from '@fanion/flag-engine';
import { fail } from '../../../platform/fail.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import { bumpRulesetsNow, type ChangeKind, canonical, differences, listEnvironments, refuse } from '../flags/index.ts';
import { editLists } from './edit.ts';
import type { ListPatch } from './lists.ts';
import { withDependents } from './rules.ts';
import * as store from './store.ts';

/** Most keys of all segments of a project: they are in the memory of every replica and SDK. */
const maxSegmentKeys = 5_000_000;

export interface SegmentPatch extends ListPatch {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly rules?: SegmentDraft['rules'] | undefined;
}

/** The members of a segment. */
export const segmentChange: ChangeKind<SegmentPatch, store.SegmentRow> = {
  kind: 'segment',
  reach: 'project',
  async prepare(trx, { projectId }, { segment: key = '' }, patch, version) {
    const segment = await store.findSegment(trx, projectId, key);
    if (segment === undefined) throw fail('SEGMENT_NOT_FOUND', { key });
    refuseStale(version, segment.version);
    const names = await store.listSegmentNames(trx, projectId);
    const lists = await editLists(trx, segment, patch);
    const rules = (patch.rules ?? segment.rules).map(({ clauses, shares }) => ({
      clauses,
      ...(shares !== undefined && { shares }),
    }));
    const { included_count, excluded_count, chunks } = lists;
    const after: store.SegmentValues = {
      name: patch.name ?? segment.name,
      description: patch.description ?? segment.description,
      included_count,
      excluded_count,
      chunks,
      rules,
      segments: segmentsNamed(rules),
    };
    checkSegment(key, rules, names);
    const grown = included_count + excluded_count - segment.included_count - segment.excluded_count;
    await refuseTooManyKeys(trx, projectId, grown);
    const affected = withDependents(key, names);
    const uses = await store.findUses(trx, projectId, affected);
    const using = new Set(uses.map(({ environment_id }) => environment_id));
    const environments = await listEnvironments(trx, projectId);
    const diff = [...differences(shown(segment), shown(after)), ...lists.diff];
    const serves = lists.diff.length > 0 || canonical(rules) !== canonical(segment.rules);
    const ids = environments.map(({ id }) => id);
    return {
      flagId: null,
      segmentId: segment.id,
      environmentId: null,
      resource: { type: 'segment', id: segment.id, name: key },
      version: segment.version,
      affects: serves ? environments.filter(({ id }) => using.has(id)) : [],
      // The audit log lists added and removed keys, not a million unchanged ones.
      before: counted(segment),
      after: { ...counted(after), keys: lists.diff },
      diff,
      rulesets: serves ? ids : [],
      unchanged: diff.length === 0 ? segment : undefined,
      async write(authorship) {
        const { now, userId } = authorship;
        const next = { version: segment.version + 1, now, userId };
        const row = await store.updateSegment(trx, segment.id, after, next);
        await store.saveKeys(trx, segment.id, next.version, { all: lists.all, chunks: lists.writes });
        if (serves) {
          await store.bumpFlagsUsing(trx, projectId, affected);
          await bumpRulesetsNow(trx, ids, authorship);
        }
        return row;
      },
    };
  },
};

/** Throws `SEGMENT_CYCLE` or `SEGMENT_INVALID`. The contract has already checked each key. */
export function checkSegment(key: string, rules: SegmentDraft['rules'], graph: DependencyGraph): void {
  const cycle = segmentCycle(graph, key, segmentsNamed(rules));
  if (cycle !== undefined) throw fail('SEGMENT_CYCLE', { cycle: cycle.join(' → ') });
  refuse('SEGMENT_INVALID', validateSegment(key, { included: [], excluded: [], rules }, { segments: graph, graph }));
}

export async function refuseTooManyKeys(
  trx: Parameters<typeof store.measureSegments>[0],
  projectId: string,
  grown: number,
): Promise<void> {
  const { keys } = await store.measureSegments(trx, projectId);
  if (grown > 0 && keys + grown > maxSegmentKeys)
    throw fail('LIMIT_REACHED', { limit: maxSegmentKeys, resource: 'keys of all segments of a project' });
}

/** What the difference shows, apart from the keys. */
export function shown({ name, description, rules }: Pick<store.SegmentValues, 'name' | 'description' | 'rules'>) {
  return { name, description, rules };
}

function counted(
  segment: Pick<store.SegmentValues, 'name' | 'description' | 'rules' | 'included_count' | 'excluded_count'>,
) {
  const { included_count, excluded_count } = segment;
  return { ...shown(segment), included_count, excluded_count };
}
