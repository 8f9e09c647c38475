import { segmentsNamed } from '@fanion/flag-engine';
import type { FlagSet } from './document.ts';
import type { RemoteState } from './remote.ts';
import type { Planned } from './write.ts';

/**
 * The writes that remove what the documents do not name: flags are archived, which keeps their history and can be undone;
 * segments are deleted. Dependents go first, flags before the segments that they name, because the server rejects the
 * removal of anything in use. What another flag or segment still uses stays: the server rejects its removal, and the
 * output says so.
 */
export function pruneWrites(desired: FlagSet, remote: RemoteState): Planned[] {
  const kept = { flags: keysOf(desired.flags), segments: keysOf(desired.segments) };
  const flags = new Map(
    [...remote.flags]
      .filter(([key]) => !kept.flags.has(key))
      .map(([key, { document }]) => [key, document.prerequisites.map(({ flag }) => flag)]),
  );
  const segments = new Map(
    [...remote.segments]
      .filter(([key]) => !kept.segments.has(key))
      .map(([key, { document }]) => [key, segmentsNamed(document.rules)]),
  );
  return [
    ...dependentsFirst(flags).map((key): Planned => {
      const { document, version } = remote.flags.get(key) ?? { document: undefined, version: 0 };
      const on = Object.entries(document?.environments ?? {}).filter(([, { enabled }]) => enabled);
      const served = on.length === 0 ? 'off everywhere' : `on in ${on.map(([name]) => name).join(', ')}`;
      return { write: { kind: 'archive_flag', key, version }, lines: [served] };
    }),
    ...dependentsFirst(segments).map((key): Planned => {
      const keys = remote.segments.get(key)?.document;
      const lines = [`${keys?.included.length ?? 0} included, ${keys?.excluded.length ?? 0} excluded`];
      return { write: { kind: 'remove_segment', key }, lines };
    }),
  ];
}

/** @param needs what each key names; keys outside the map are ignored */
function dependentsFirst(needs: ReadonlyMap<string, readonly string[]>): string[] {
  const inside = new Set<string>();
  const visit = (key: string) => {
    const named = needs.get(key);
    if (named === undefined || inside.has(key)) return;
    inside.add(key);
    for (const other of named) visit(other);
    ordered.push(key);
  };
  const ordered: string[] = [];
  for (const key of needs.keys()) visit(key);
  return ordered.reverse();
}

function keysOf(documents: readonly { readonly key: string }[]): ReadonlySet<string> {
  return new Set(documents.map(({ key }) => key));
}
