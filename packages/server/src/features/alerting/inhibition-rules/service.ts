import type { inhibitionRulesRoutes, RouteBody } from '@fanion/contract';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import {
  changeResource,
  createResource,
  firstVersion,
  type Resource,
  removeResource,
  type Writer,
} from '../../identity/resources/index.ts';
import { compileStored, type Matcher, readMatchers } from '../matchers/index.ts';
import { type InhibitionRuleRow, type InhibitionValues, inhibitionRules, listInhibitionRules } from './store.ts';

const maxRules = 200;
/** Instructions of all patterns: comparing one alert with all rules takes at most some 50 ms for the longest labels. */
const maxSize = 10_000;

type Parts = Pick<FeatureDependencies, 'db' | 'clock'>;
type Routes = typeof inhibitionRulesRoutes;

export const resource = {
  noun: 'inhibition rule',
  plural: 'inhibition rules',
  type: 'inhibition_rule',
  area: 'inhibition_rules',
  change: 'update',
  table: inhibitionRules,
  shown: ({ name, source, target, equal }) => ({ name, source, target, equal }),
} satisfies Resource<InhibitionRuleRow, InhibitionValues>;

export async function create({ db, clock }: Parts, writer: Writer, draft: RouteBody<Routes['createInhibitionRule']>) {
  const row = { ...firstVersion(writer, clock), ...valuesOf(draft) };
  return createResource(db, resource, writer, row, {
    limit: maxRules,
    after: (trx) => checkSize(trx, writer.workspace.id),
  });
}

/** Throws `STALE_VERSION` where `version` is given and another one is current. */
export async function update(
  { db, clock }: Parts,
  writer: Writer,
  id: string,
  { version, ...patch }: RouteBody<Routes['updateInhibitionRule']>,
) {
  const change = { id, version, now: dateOf(clock) };
  return changeResource(db, resource, writer, change, {
    next: async (before) =>
      valuesOf({
        name: patch.name ?? before.name,
        source: patch.source ?? before.source,
        target: patch.target ?? before.target,
        equal: patch.equal ?? before.equal,
      }),
    after: (trx) => checkSize(trx, writer.workspace.id),
  });
}

export async function remove({ db, clock }: Parts, writer: Writer, id: string) {
  return removeResource(db, resource, writer, { id, now: dateOf(clock) });
}

async function checkSize(trx: Executor, workspaceId: string): Promise<void> {
  const all = await listInhibitionRules(trx, [workspaceId]);
  const size = all.reduce((sum, one) => sum + compileStored(one.source).size + compileStored(one.target).size, 0);
  if (size > maxSize)
    throw invalid('source', `makes the patterns of all rules too large: ${size} instructions of ${maxSize}`);
}

interface Input {
  readonly name: string;
  readonly source: readonly (string | Matcher)[];
  readonly target: readonly (string | Matcher)[];
  readonly equal: readonly string[];
}

function valuesOf({ name, source, target, equal }: Input): InhibitionValues {
  const read = (input: readonly (string | Matcher)[], path: string) => {
    const matchers = readMatchers(input, path);
    if ('message' in matchers) throw invalid(matchers.path, matchers.message);
    return matchers.matchers;
  };
  return { name, source: read(source, 'source'), target: read(target, 'target'), equal: [...new Set(equal)] };
}

function invalid(path: string, message: string) {
  return fail('INHIBITION_RULE_INVALID', { reason: `${path} ${message}` }, { details: [{ path, message }] });
}
