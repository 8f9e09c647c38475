import type { Difference } from '@fanion/contract';
import { MAX_SEGMENT_KEYS } from '@fanion/flag-engine';
import { runInSlices } from '../../../platform/breath.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { Steps } from '../../../platform/steps.ts';
import { refuse } from '../flags/index.ts';
import {
  chunksFor,
  editKeys,
  type KeyChunk,
  type ListName,
  type ListPatch,
  listNames,
  memberDifference,
  spread,
  touchedChunks,
} from './lists.ts';
import { findKeys, type SegmentRow } from './store.ts';

/** The keys of a segment after a patch, and the chunks to write. */
export interface EditedLists {
  readonly included_count: number;
  readonly excluded_count: number;
  readonly chunks: number;
  /** The chunks to write are all chunks. */
  readonly all: boolean;
  readonly writes: readonly KeyChunk[];
  readonly diff: readonly Difference[];
}

type Stored = Pick<SegmentRow, 'id' | 'included_count' | 'excluded_count' | 'chunks'>;

/** Loads only the chunks that the patch touches. Throws `SEGMENT_INVALID` if a list would be too long. */
export async function editLists(trx: Executor, segment: Stored, patch: ListPatch): Promise<EditedLists> {
  const touched = listNames.filter((list) => [patch[list], patch.add?.[list], patch.remove?.[list]].some(Boolean));
  if (touched.length === 0) {
    const { included_count, excluded_count, chunks } = segment;
    return { included_count, excluded_count, chunks, all: false, writes: [], diff: [] };
  }
  const replaces = patch.included !== undefined || patch.excluded !== undefined;
  const edited =
    segment.chunks === 1 || replaces ? await editWhole(trx, segment, patch) : await editParts(trx, segment, patch);
  refuse(
    'SEGMENT_INVALID',
    listNames
      .filter((list) => edited[`${list}_count`] > MAX_SEGMENT_KEYS)
      .map((path) => ({
        path,
        message: `has ${edited[`${path}_count`]} keys, at most ${MAX_SEGMENT_KEYS} are allowed`,
      })),
  );
  return edited;
}

/** The lists of a new segment. */
export function newLists(lists: {
  readonly included: readonly string[];
  readonly excluded: readonly string[];
}): Promise<EditedLists> {
  return runInSlices(whole({ included: [], excluded: [] }, lists));
}

async function editWhole(trx: Executor, segment: Stored, patch: ListPatch): Promise<EditedLists> {
  const of = (list: ListName) => findKeys(trx, segment.id, list);
  return runInSlices(whole({ included: await of('included'), excluded: await of('excluded') }, patch));
}

function* whole(before: Readonly<Record<ListName, readonly string[]>>, patch: ListPatch): Steps<EditedLists> {
  const included = yield* editKeys('included', before.included, patch);
  const excluded = yield* editKeys('excluded', before.excluded, patch);
  const chunks = chunksFor(included.keys.size + excluded.keys.size);
  const writes = [
    ...(yield* spread('included', included.keys, chunks)),
    ...(yield* spread('excluded', excluded.keys, chunks)),
  ];
  return {
    included_count: included.keys.size,
    excluded_count: excluded.keys.size,
    chunks,
    all: true,
    writes,
    diff: [...memberDifference('included', included), ...memberDifference('excluded', excluded)],
  };
}

async function editParts(trx: Executor, segment: Stored, patch: ListPatch): Promise<EditedLists> {
  const { chunks } = segment;
  const of = async (list: ListName) => {
    const numbers = touchedChunks(patch, list, chunks);
    const before = await findKeys(trx, segment.id, list, numbers);
    const edited = await runInSlices(editKeys(list, before, patch));
    const parts = await runInSlices(spread(list, edited.keys, chunks));
    const after = new Map(parts.map((part) => [part.chunk, part]));
    const writes = numbers.map((chunk) => after.get(chunk) ?? { list, chunk, keys: [] });
    const count = segment[`${list}_count`] + edited.added.length - edited.removed.length;
    return { writes, count, diff: memberDifference(list, edited) };
  };
  const included = await of('included');
  const excluded = await of('excluded');
  return {
    included_count: included.count,
    excluded_count: excluded.count,
    chunks,
    all: false,
    writes: [...included.writes, ...excluded.writes],
    diff: [...included.diff, ...excluded.diff],
  };
}
