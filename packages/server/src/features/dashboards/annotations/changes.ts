import type { Annotation } from '@fanion/contract';
import type { ChangeRow } from '@fanion/oql';
import type { UserCaller } from '../../../http/caller.ts';
import { fail } from '../../../platform/fail.ts';
import type { ReadChanges } from '../../../platform/gateway/index.ts';
import type { AnnotationService, Place } from './service.ts';

/** Changes that one query reads. */
export const maxChanges = 1_000;
/** They are bound to the statement, which the store limits to 256 KiB. */
const maxBytes = 128 * 1024;

/**
 * Reads what OQL's source `changes` consists of: the annotations that a caller may read.
 * The reader throws `TOO_MANY_CHANGES` rather than leave some out.
 */
export function createChangesReader({
  list,
}: Pick<AnnotationService, 'list'>): (place: Place, caller: UserCaller) => ReadChanges {
  return (place, caller) =>
    async ({ fromNs, toNs }, signal) => {
      // Times of annotations are whole milliseconds; the statement compares them with the exact window.
      const query = { from: Number(fromNs / 1_000_000n), to: Number(toNs / 1_000_000n) + 1 };
      const { items, warnings } = await list(place, caller, query, { after: undefined, limit: maxChanges }, signal);
      const rows = items.map(rowOf);
      if (items.length > maxChanges || Buffer.byteLength(JSON.stringify(rows)) > maxBytes)
        throw fail('TOO_MANY_CHANGES', { limit: maxChanges });
      return { rows, warnings };
    };
}

function rowOf(one: Annotation): ChangeRow {
  return [
    Date.parse(one.time),
    one.end === null ? null : Date.parse(one.end),
    one.kind,
    one.text,
    one.service ?? '',
    one.flag ?? '',
    one.alert?.state ?? '',
    one.version ?? '',
    one.author ?? '',
    one.tags,
    one.project ?? '',
    one.environment ?? '',
    one.id,
  ];
}
