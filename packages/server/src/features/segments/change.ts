import {
  type DependencyGraph,
  type SegmentDraft,
  segmentCycle,
  segmentsNamed,
  validateSegment,
} from '@fanion/flag-engine';
import { fail } from '../../platform/fail.ts';
import { bumpRulesets, type ChangeKind, differences, listEnvironments, refuse, refuseStale } from '../flags/index.ts';
import { editedList, type SegmentPatch, withDependents } from './rules.ts';
import * as store from './store.ts';

/** Most keys of all segments of a project: they are in the memory of every replica and SDK. */
export const maxSegmentKeys = 5_000_000;

/** Who is in a segment. */
export const segmentChange: ChangeKind<SegmentPatch, store.SegmentRow> = {
  kind: 'segment',
  reach: 'project',
  async prepare(trx, { projectId }, { segment: key = '' }, patch, version) {
    const segment = await store.findSegment(trx, projectId, key);
    if (segment === undefined) throw fail('SEGMENT_NOT_FOUND', { key });
    refuseStale(version, segment.version);
    const before = { ...segment, ...(await store.findLists(trx, segment.id)) };
    const names = await store.listSegmentNames(trx, projectId);
    const rules = (patch.rules ?? before.rules).map(({ clauses }) => ({ clauses }));
    const after: store.SegmentValues = {
      name: patch.name ?? before.name,
      description: patch.description ?? before.description,
      included: editedList('included', before.included, patch),
      excluded: editedList('excluded', before.excluded, patch),
      rules,
      segments: segmentsNamed(rules),
    };
    checkSegment(key, after, names);
    const grown = after.included.length + after.excluded.length - before.included_count - before.excluded_count;
    await refuseTooManyKeys(trx, projectId, grown);
    const affected = withDependents(key, names);
    const uses = await store.findUses(trx, projectId, affected);
    const using = new Set(uses.map(({ environment_id }) => environment_id));
    const environments = await listEnvironments(trx, projectId);
    const diff = differences(shown(before), shown(after));
    const serves = differences(audience(before), audience(after)).length > 0;
    const ids = environments.map(({ id }) => id);
    return {
      flagId: null,
      segmentId: segment.id,
      environmentId: null,
      resource: { type: 'segment', id: segment.id, name: key },
      version: segment.version,
      affects: serves ? environments.filter(({ id }) => using.has(id)) : [],
      // The log tells which keys came and went, not a million that stayed.
      before: null,
      after: { diff },
      diff,
      rulesets: serves ? ids : [],
      async write({ now, userId }) {
        const next = { version: segment.version + 1, now, userId };
        const row = await store.updateSegment(trx, segment.id, after, next);
        if (serves) {
          await store.bumpFlagsUsing(trx, projectId, affected);
          await bumpRulesets(trx, ids, now);
        }
        return row;
      },
    };
  },
};

/** Throws `SEGMENT_CYCLE` or `SEGMENT_INVALID`. */
export function checkSegment(key: string, draft: SegmentDraft, graph: DependencyGraph): void {
  const cycle = segmentCycle(graph, key, segmentsNamed(draft.rules));
  if (cycle !== undefined) throw fail('SEGMENT_CYCLE', { cycle: cycle.join(' → ') });
  refuse('SEGMENT_INVALID', validateSegment(key, draft, { segments: graph, graph }));
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

function audience({ included, excluded, rules }: Pick<store.SegmentValues, 'included' | 'excluded' | 'rules'>) {
  return { included, excluded, rules: JSON.stringify(rules) };
}

/** What people compare. */
export function shown(segment: Omit<store.SegmentValues, 'segments'>) {
  const { name, description, included, excluded, rules } = segment;
  return { name, description, included, excluded, rules };
}
