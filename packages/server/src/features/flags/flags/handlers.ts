import { flagsRoutes } from '@fanion/contract';
import { type Context, implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { flagChange } from './flag-update.ts';
import { prerequisitesChange, replacedVersion } from './prerequisites.ts';
import { presentTargeting } from './present.ts';
import { createPromotion } from './promote.ts';
import type { FlagsDependencies } from './service.ts';
import * as service from './service.ts';
import type { FlagRow } from './store.ts';
import { presentSubmitted, submissionOf } from './submitted.ts';
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
      return presentSubmitted(submitted, (result) => result);
    },
    async getPrerequisites({ project, params }) {
      const flag = await service.existing(dependencies, project, params.key);
      return service.presentPrerequisites(dependencies, project, flag);
    },
    setPrerequisites: (context) => required(dependencies, context),
  });
}

async function updated(dependencies: FlagsDependencies, context: Context<typeof flagsRoutes.updateFlag>) {
  const { workspace, project, caller, params } = context;
  const { payload, ...submission } = submissionOf(context);
  const { variants, ...plain } = payload;
  const submitted = await dependencies.changes.submit({
    ...submission,
    action: 'flags.update',
    kind: flagChange,
    subject: { flag: params.key },
    payload: { ...plain, ...(variants !== undefined && { variants: variants as FlagRow['variants'] }) },
  });
  return presentSubmitted(submitted, ({ flag }) => service.present(dependencies, { workspace, project }, caller, flag));
}

async function targeted(dependencies: FlagsDependencies, context: Context<typeof flagsRoutes.setTargeting>) {
  const submitted = await dependencies.changes.submit({
    ...submissionOf(context),
    action: 'flags.set_targeting',
    kind: targetingChange,
    subject: { flag: context.params.key, environmentId: context.environment.id },
  });
  return presentSubmitted(submitted, (result) => presentTargeting(dependencies.db, result));
}

async function required(dependencies: FlagsDependencies, context: Context<typeof flagsRoutes.setPrerequisites>) {
  const { project, params, body } = context;
  const { key } = params;
  const submitted = await dependencies.changes.submit({
    ...submissionOf(context),
    action: 'flags.set_prerequisites',
    kind: prerequisitesChange,
    subject: { flag: key },
    version: await replacedVersion(dependencies.db, project.id, { key, version: body.version }),
  });
  return presentSubmitted(submitted, ({ flag }) => service.presentPrerequisites(dependencies, project, flag));
}
