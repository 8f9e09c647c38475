import { flagsRoutes } from '@fanion/contract';
import { accepted, implement, type MountedRoute, page } from '../../../http/context.ts';
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

/** Routes of flags and their targeting. A table, and as long as their list. */
export function flagsHandlers(dependencies: FlagsDependencies): MountedRoute[] {
  const { db, changes } = dependencies;
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
    async createFlag({ workspace, project, caller, body, origin }) {
      return service.create(dependencies, { workspace, project }, caller, body, origin);
    },
    async getFlag({ workspace, project, caller, params }) {
      return service.present(
        dependencies,
        { workspace, project },
        caller,
        await service.existing(dependencies, project, params.key),
      );
    },
    async updateFlag({ workspace, project, caller, params, body, origin }) {
      const { version, comment, bypass_approval, variants, ...plain } = body;
      const patch = { ...plain, ...(variants !== undefined && { variants: variants as FlagRow['variants'] }) };
      const submitted = await changes.submit({
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
    },
    async removeFlag({ workspace, project, caller, params, origin }) {
      await service.remove(dependencies, { workspace, project }, caller, params.key, origin);
      return undefined;
    },
    async getTargeting({ workspace, project, environment, params }) {
      return service.getTargeting(dependencies, { workspace, project }, environment, params.key);
    },
    async previewCompatibility({ workspace, project, environment, params, body }) {
      return service.previewCompatibility(dependencies, { workspace, project }, environment, params.key, body);
    },
    async setTargeting({ workspace, project, environment, caller, params, body, origin }) {
      const { version, comment, bypass_approval, enabled, off_variant, fallthrough, targets, rules } = body;
      const submitted = await changes.submit({
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
      return submitted.status === 'waiting' ? accepted(submitted.change) : presentTargeting(db, submitted.result);
    },
    async promoteTargeting({ workspace, project, environment, caller, params, body, origin }) {
      const submitted = await promote({ workspace, project }, environment, caller, params.key, body, origin);
      return submitted.status === 'waiting' ? accepted(submitted.change) : submitted.result;
    },
    async getPrerequisites({ project, params }) {
      return service.presentPrerequisites(
        dependencies,
        project,
        await service.existing(dependencies, project, params.key),
      );
    },
    async setPrerequisites({ workspace, project, caller, params, body, origin }) {
      const { prerequisites, version, comment, bypass_approval } = body;
      const submitted = await changes.submit({
        place: { workspace, project },
        caller,
        origin,
        action: 'flags.set_prerequisites',
        kind: prerequisitesChange,
        subject: { flag: params.key },
        payload: { prerequisites },
        version: await replacedVersion(db, project.id, { key: params.key, version }),
        comment,
        bypassApproval: bypass_approval,
      });
      if (submitted.status === 'waiting') return accepted(submitted.change);
      return service.presentPrerequisites(dependencies, project, submitted.result.flag);
    },
  });
}
