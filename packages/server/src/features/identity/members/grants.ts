import { isDeepStrictEqual } from 'node:util';
import type { Permission } from '@fanion/contract';
import type { UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { refusePinned } from '../../../http/pins.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import { refuseStale, requireVersion } from '../../../platform/refuse-stale.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { announceAccessChange, missingFrom } from '../access/index.ts';
import { recordAudit } from '../audit/index.ts';
import { giverOf, heldEverywhere } from './giving.ts';
import { found, hold, refuse } from './guards.ts';
import { changedPlaces, grantable, lackingFor, type PlacedRole, placeKey } from './rules.ts';
import * as store from './store.ts';

export interface GrantInput {
  readonly project: string;
  readonly environment?: string | null | undefined;
  readonly role: string;
}

export interface MemberGrants {
  readonly grants: readonly store.GrantRow[];
  readonly version: number;
}

export async function grants(
  { db }: Pick<FeatureDependencies, 'db' | 'clock' | 'access'>,
  workspace: WorkspaceRef,
  memberId: string,
): Promise<MemberGrants> {
  const member = found(await store.findMember(db, workspace.id, memberId), 'member');
  return { grants: await store.findGrants(db, member.id), version: member.grantsVersion };
}

/**
 * Replaces the grants of a member. Wherever another role applies afterwards, because a grant was added or removed,
 * the caller must hold what that role gives. Throws `INVALID_INPUT` without a `version` where there are grants, and
 * `STALE_VERSION`.
 */
export async function setGrants(
  parts: Pick<FeatureDependencies, 'db' | 'clock' | 'access'>,
  workspace: WorkspaceRef,
  caller: UserCaller,
  memberId: string,
  { grants: input, version }: { readonly grants: readonly GrantInput[]; readonly version?: number | undefined },
  origin: Origin,
): Promise<MemberGrants> {
  const { access, db, clock } = parts;

  refusePinned(caller, 'members:write');
  const everywhere = await heldEverywhere(access, caller, workspace);
  const { places, grants } = await locate(parts, caller, workspace, input);
  for (;;) {
    // Permissions are looked up outside of the transaction, and again if the grants change before it begins.
    const member = found(await store.findMember(db, workspace.id, memberId), 'member');
    const before = await store.findGrants(db, member.id);
    await addPlaces(parts, caller, workspace, before, places);
    const result = await replace(member, before);
    if (result === undefined) continue;
    access.forget({ workspaceId: workspace.id });
    return result;
  }

  async function replace(member: store.MemberRow, before: store.GrantRow[]) {
    const now = dateOf(clock);
    return db.transaction().execute(async (trx) => {
      await hold(trx, workspace);
      const current = found(await store.findMember(trx, workspace.id, member.id), 'member');
      if (!isDeepStrictEqual(await store.findGrants(trx, member.id), before)) return undefined;
      if (member.userId !== caller.user.id)
        refuse(lackingFor(await giverOf(trx, caller, workspace, everywhere), current.role));
      const after = [];
      for (const grant of grants)
        after.push({ ...grant, role: found(await store.holdRole(trx, workspace.id, grant.role), 'role') });
      for (const change of changedPlaces(current.role, before, after)) {
        const held = places.get(placeKey(change))?.held ?? new Set<Permission>();
        refuse(missingFrom(held, grantable(change.role)));
      }
      if (before.length > 0) requireVersion(version, current.grantsVersion);
      else refuseStale(version, current.grantsVersion);
      if (isUnchanged(placedRoles(before), placedRoles(after)))
        return { grants: before, version: current.grantsVersion };
      const rows = after.map(({ projectId, environmentId, role }) => ({ projectId, environmentId, roleId: role.id }));
      await store.replaceGrants(trx, member.id, rows);
      await announceAccessChange(trx, { workspaceId: workspace.id, userId: member.userId });
      const result = await store.findGrants(trx, member.id);
      const fact = {
        workspaceId: workspace.id,
        action: 'members.set_grants',
        resource: { type: 'member', id: member.id, name: member.email },
        before: { grants: before.map(summary) },
        after: { grants: result.map(summary) },
      };
      await recordAudit(trx, origin, fact, now);
      return { grants: result, version: current.grantsVersion + 1 };
    });
  }
}

type Places = Map<string, { projectId: string; environmentId: string | null; held: ReadonlySet<Permission> }>;

/** Adds the places of the grants before a change, and the caller's permissions there and below. */
async function addPlaces(
  { access }: Pick<FeatureDependencies, 'access'>,
  caller: UserCaller,
  workspace: WorkspaceRef,
  before: readonly store.GrantRow[],
  places: Places,
): Promise<void> {
  for (const { projectId, environmentId } of before) {
    if (places.has(placeKey({ projectId, environmentId }))) continue;
    const scope = await access.scope(caller, {
      workspace: workspace.id,
      project: projectId,
      ...(environmentId !== null && { environment: environmentId }),
    });
    places.set(placeKey({ projectId, environmentId }), { projectId, environmentId, held: scope.permissionsBelow });
  }
}

/** The places of the grants, and the caller's permissions there and below. Unknown places are `NOT_FOUND`. */
async function locate(
  { access }: Pick<FeatureDependencies, 'db' | 'clock' | 'access'>,
  caller: UserCaller,
  workspace: WorkspaceRef,
  input: readonly GrantInput[],
) {
  const places: Places = new Map();
  const grants = [];
  for (const { project, environment, role } of input) {
    const scope = await access.scope(caller, {
      workspace: workspace.id,
      project,
      ...(environment != null && { environment }),
    });
    const place = {
      projectId: found(scope.project, 'project').id,
      environmentId: scope.environment?.id ?? null,
      held: scope.permissionsBelow,
    };
    if (places.has(placeKey(place))) {
      const reason = `grants: two for ${project}${environment == null ? '' : ` / ${environment}`}`;
      throw fail('INVALID_INPUT', { reason });
    }
    places.set(placeKey(place), place);
    grants.push({ ...place, role });
  }
  return { places, grants };
}

/** In one order, whatever the request has. */
function placedRoles(grants: readonly PlacedRole[]) {
  return grants.map((grant) => [placeKey(grant), grant.role.id]).sort(([a = ''], [b = '']) => a.localeCompare(b));
}

function summary({ project, environment, role }: store.GrantRow) {
  return { project, environment, role: role.name };
}
