import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Ruleset, RulesetPatch, Segment } from '@fanion/flag-engine';
import type { RulesetPart, ToEvaluator } from './messages.ts';

/** Keys of a segment in one message: some milliseconds of work for both sides. */
const keysAtOnce = 20_000;

/** Sends a ruleset, or what has changed since the version `from`, in messages that take a few milliseconds each. */
export async function sendRulesetParts(
  send: (message: ToEvaluator) => void,
  environmentId: string,
  from: number | undefined,
  { environment, project }: Pick<Ruleset, 'environment' | 'project'>,
  { version, flags = {}, segments = {} }: RulesetPatch,
): Promise<void> {
  const part = (one: RulesetPart) => send({ kind: 'ruleset', environmentId, part: one });
  const large = Object.entries(segments).filter(
    (entry): entry is [string, Segment] =>
      entry[1] !== null && entry[1].included.length + entry[1].excluded.length > keysAtOnce,
  );
  const empty = large.map(([key, segment]) => [key, { ...segment, included: [], excluded: [] }]);
  part({
    part: 'begin',
    from,
    version,
    environment,
    project,
    flags,
    segments: { ...segments, ...Object.fromEntries(empty) },
  });
  for (const [segment, lists] of large)
    for (const list of ['included', 'excluded'] as const)
      for (let at = 0; at < lists[list].length; at += keysAtOnce) {
        part({ part: 'keys', segment, list, keys: lists[list].slice(at, at + keysAtOnce) });
        await nextTurn();
      }
  part({ part: 'end' });
}
