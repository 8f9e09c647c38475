import { flagsRoutes } from '@fanion/contract';
import { accepted, type Context, implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { flagChange } from './flag-update.ts';
import { prerequisitesChange, replacedVersion } from './prerequisites.ts';
import { presentTargeting } from './present.ts';
import { createPromotion } from './promote.ts';
import type { FlagsDependencies } from './service.ts';
import * as service from './service.ts';
import type { FlagRow } from './store.ts';
import { targetingChange } from './targeting-change.ts';

const isFlagKey = (text: string) => /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}$/.test(text);

/** Routes of flags and their targeting. */
export function flagsHandlers(dependencies: FlagsDependencies): MountedRoute[] {
  const promote = createPromotion(dependencies);
  return implement(flagsRoutes, {
    async listFlags({ workspace, project, caller, query: { search, tag, archived, limit, cursor } }) {
      const rows = await service.list(dependencies, { workspace, project }, caller, {
        search,
        tag,
        archived,
        after: decodeCursor(cursor, isFlagKey),
        limit,
      });
      const { items, nextCursor } = cutPage(rows, limit, (row) => row.key);
      return page(items, nextCursor);
    },
    createFlag: ({ workspace, project, caller, body, origin }) =>
      service.create(dependencies, { workspace, project }, caller, body, origin),
    async getFlag({ workspace, project, caller, params }) {
      const flag = await service.existing(dependencies, project, params.key);
      return service.present(dependencies, { workspace, project }, caller, flag);
    },
    updateFlag: (context) => updated(dependencies, context),
    async removeFlag({ workspace, project, caller, params, origin }) {
      await service.remove(dependencies, { workspace, project }, caller, params.key, origin);
      return undefined;
    },
    getTargeting: ({ workspace, project, environment, params }) =>
      service.getTargeting(dependencies, { workspace, project }, environment, params.key),
    previewCompatibility: ({ workspace, project, environment, params, body }) =>
      service.previewCompatibility(dependencies, { workspace, project }, environment, params.key, body),
    setTargeting: (context) => targeted(dependencies, context),
    async promoteTargeting({ workspace, project, environment, caller, params, body, origin }) {
      const submitted = await promote({ workspace, project }, environment, caller, params.key, body, origin);
      return submitted.status === 'waiting' ? accepted(submitted.change) : submitted.result;
    },
    async getPrerequisites({ project, params }) {
      const flag = await service.existing(dependencies, project, params.key);
      return service.presentPrerequisites(dependencies, project, flag);
    },
    setPrerequisites: (context) => required(dependencies, context),
  });
}

async function updated(
  dependencies: FlagsDependencies,
  { workspace, project, caller, params, body, origin }: Context<typeof flagsRoutes.updateFlag>,
) {
  const { version, comment, bypass_approval, variants, ...plain } = body;
  const patch = { ...plain, ...(variants !== undefined && { variants: variants as FlagRow['variants'] }) };
  const submitted = await dependencies.changes.submit({
    place: { workspace, project },
    caller,
    origin,
    action: 'flags.update',
    kind: flagChange,
    subject: { flag: params.key },
    payload: patch,
    version,
    comment,
    bypassApproval: bypass_approval,
  });
  if (submitted.status === 'waiting') return accepted(submitted.change);
  return service.present(dependencies, { workspace, project }, caller, submitted.result.flag);
}

async function targeted(
  dependencies: FlagsDependencies,
  { workspace, project, environment, caller, params, body, origin }: Context<typeof flagsRoutes.setTargeting>,
) {
  const { version, comment, bypass_approval, enabled, off_variant, fallthrough, targets, rules } = body;
  const submitted = await dependencies.changes.submit({
    place: { workspace, project },
    caller,
    origin,
    action: 'flags.set_targeting',
    kind: targetingChange,
    subject: { flag: params.key, environmentId: environment.id },
    payload: { enabled, off_variant, fallthrough, targets, rules },
    version,
    comment,
    bypassApproval: bypass_approval,
  });
  return submitted.status === 'waiting'
    ? accepted(submitted.change)
    : presentTargeting(dependencies.db, submitted.result);
}

async function required(
  dependencies: FlagsDependencies,
  { workspace, project, caller, params, body, origin }: Context<typeof flagsRoutes.setPrerequisites>,
) {
  const { prerequisites, version, comment, bypass_approval } = body;
  const submitted = await dependencies.changes.submit({
    place: { workspace, project },
    caller,
    origin,
    action: 'flags.set_prerequisites',
    kind: prerequisitesChange,
    subject: { flag: params.key },
    payload: { prerequisites },
    version: await replacedVersion(dependencies.db, project.id, { key: params.key, version }),
    comment,
    bypassApproval: bypass_approval,
  });
  if (submitted.status === 'waiting') return accepted(submitted.change);
  return service.presentPrerequisites(dependencies, project, submitted.result.flag);
}
