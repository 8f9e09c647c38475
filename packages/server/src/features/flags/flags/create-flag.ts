import { validateVariants } from '@fanion/flag-engine';
import type { UserCaller } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { createBreath } from '../../../platform/breath.ts';
import { fail } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import { refuseIdAsKey } from '../../../platform/keys.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { type ChangeRequest, locating, only, type Place } from '../../change-kind.ts';
import { recordAudits } from '../../identity/audit/index.ts';
import { shown as shownFlag } from './flag-update.ts';
import { recordHistories } from './history-store.ts';
import { refuse } from './refuse.ts';
import { defaultVariants, namedVariants, type VariantFact } from './rules.ts';
import { bumpRulesetsNow } from './ruleset-store.ts';
import * as store from './store.ts';

const maxFlags = 10_000;

export interface NewFlag {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly kind: store.FlagRow['kind'];
  readonly variants?: readonly { key: string; value: unknown; name?: string | undefined }[] | undefined;
  readonly default_variant?: string | undefined;
  readonly off_variant?: string | null | undefined;
  readonly tags: readonly string[];
  readonly temporary: boolean;
  readonly metadata: store.FlagRow['metadata'];
  readonly client_visible: boolean;
}

/** The origin of something that is created within a transaction. */
export interface HowCreated {
  readonly origin: Origin;
  readonly now: Date;
  /** The action of the audit entry. */
  readonly action: string;
  readonly rulesetsLater?: boolean;
}

/**
 * Writes a new flag: off in every environment, so it needs no approval.
 *
 * @param trx has locked the project
 */
export async function createFlagIn(
  trx: Executor,
  place: Place,
  caller: UserCaller,
  input: NewFlag,
  how: HowCreated,
): Promise<{ readonly created: store.FlagRow; readonly ids: readonly string[] }> {
  const { created, ids } = await createFlagsIn(trx, place, caller, [{ input }], how);
  return { created: only(created), ids };
}

/** The same for several flags, in as many statements. */
export async function createFlagsIn(
  trx: Executor,
  { workspace, project }: Place,
  caller: UserCaller,
  requests: readonly (Pick<ChangeRequest<unknown>, 'located'> & { readonly input: NewFlag })[],
  how: HowCreated,
): Promise<{ readonly created: readonly store.FlagRow[]; readonly ids: readonly string[] }> {
  const { origin, now, action } = how;
  const breath = createBreath();
  const count = await store.countFlags(trx, project.id);
  const rows: ReturnType<typeof newRow>[] = [];
  for (const request of requests) {
    rows.push(
      locating(request, () => {
        if (count + rows.length >= maxFlags)
          throw fail('LIMIT_REACHED', { limit: maxFlags, resource: 'flags of a project' });
        return newRow(project.id, caller, request.input, now);
      }),
    );
    await breath();
  }
  const created = await store.insertFlags(trx, rows);
  const inserted = new Set(created.map(({ id }) => id));
  for (const [at, { id, key }] of rows.entries()) {
    if (inserted.has(id)) continue;
    locating(requests[at] ?? {}, () => {
      throw fail('FLAG_EXISTS', { key });
    });
  }
  const ids = (await store.listEnvironments(trx, project.id)).map(({ id }) => id);
  await bumpRulesetsNow(trx, ids, how);
  const authorship = { userId: caller.user.id, actor: origin.actor, now, comment: null, changeId: null };
  await recordHistories(
    trx,
    created.map((flag) => ({ authorship, fact: createdFact(flag) })),
  );
  const facts = created.map((flag) => ({
    workspaceId: workspace.id,
    action,
    resource: { type: 'flag', id: flag.id, name: flag.key },
    projectId: project.id,
    after: { key: flag.key, kind: flag.kind, ...shownFlag(flag) },
  }));
  await recordAudits(trx, origin, facts, now);
  return { created, ids };
}

function newRow(projectId: string, caller: UserCaller, input: NewFlag, now: Date) {
  const { key, name, description, kind, metadata, temporary, client_visible } = input;
  refuseIdAsKey(key, 'key');
  const variants = (input.variants as readonly VariantFact[] | undefined) ?? defaultVariants(kind) ?? [];
  const named = namedVariants(kind, variants, input);
  refuse('INVALID_INPUT', validateVariants({ kind, variants, metadata, ...named }));
  return {
    id: newId(now.getTime()),
    project_id: projectId,
    ...{ key, name, description, kind, metadata, temporary, client_visible },
    variants: variants.map((variant) => ({
      key: variant.key,
      value: variant.value,
      ...(variant.name !== undefined && { name: variant.name }),
    })),
    ...named,
    tags: [...input.tags],
    created_by: caller.user.id,
    created_at: now,
  };
}

function createdFact({ id, version, serve_version }: store.FlagRow) {
  return {
    flagId: id,
    environmentId: null,
    kind: 'created',
    version,
    flagVersion: serve_version,
    diff: [],
    after: null,
  } as const;
}
