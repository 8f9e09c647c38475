import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../platform/clock.ts';
import { createLog } from '../../../platform/log.ts';
import { Outbox } from '../../../platform/outbox/index.ts';
import { startTestPglite, type TestDatabase, type TestStore } from '../../../testing/test-database.ts';
import { type Tenant, type TestControlPlane, testControlPlane, testOrigin } from '../../testing/control-plane.ts';
import * as environments from '../projects/environment-service.ts';
import { createProjectRetention } from '../projects/index.ts';
import * as projects from '../projects/project-service.ts';
import * as workspaces from '../workspaces/service.ts';
import type { AccessChange } from './changes.ts';
import { accessChanged, accessChangeOf } from './changes.ts';
import { createAccess } from './index.ts';

describe('what another replica remembers', () => {
  let store: TestStore;
  let database: TestDatabase;
  let here: TestControlPlane;
  let outbox: Outbox;
  let ada: Tenant;
  let heard: ((change: AccessChange) => void) | undefined;

  beforeAll(async () => {
    store = await startTestPglite();
    database = await store.fresh();
    here = testControlPlane(database.db);
    ada = await here.addTenant('ada');
    outbox = new Outbox({ db: database.db, clock: systemClock, log: createLog('silent'), pollMs: 3_600_000 });
  });
  afterAll(async () => {
    await outbox?.stop();
    await store?.close();
  });

  /** Makes a change here while the other replica reads the outbox only on request. */
  async function afterChange(change: () => Promise<unknown>) {
    const access = createAccess({ db: database.db, clock: systemClock, toldUntil: () => Date.now() });
    const names = { workspace: ada.workspace.id, project: ada.project.id, environment: ada.development.id };
    const before = await access.scope(ada.caller, names);
    await change();
    expect(await access.scope(ada.caller, names)).toEqual(before);
    const told = new Promise<void>((resolve) => {
      heard = (of) => {
        access.forget(of);
        resolve();
      };
    });
    outbox.wake();
    await told;
    return access.scope(ada.caller, names);
  }

  it('is asked for again after each change that concerns it', async () => {
    outbox.subscribe({ topic: accessChanged, on: (message) => heard?.(accessChangeOf(message)) });
    await outbox.start();
    const retention = createProjectRetention({
      db: database.db,
      clock: here.clock,
      classes: { default: 30, allowed: [30] },
    });
    const place = { ...ada, environment: ada.development };
    const approved = await afterChange(() =>
      environments.update(here.dependencies, place, ada.caller, { requires_approval: true }, testOrigin),
    );
    expect(approved.environment?.requiresApproval).toBe(true);
    const renamed = await afterChange(() =>
      projects.update({ ...here.dependencies, retention }, ada, ada.caller, { name: 'Shop' }, testOrigin),
    );
    expect(renamed.project?.name).toBe('Shop');
    const moved = await afterChange(() =>
      workspaces.update(here.dependencies, ada.workspace, ada.caller, { slug: 'ada-2' }, testOrigin),
    );
    expect(moved.workspace.slug).toBe('ada-2');
    await expect(
      afterChange(() => environments.remove(here.dependencies, place, ada.caller, ada.development.key, testOrigin)),
    ).rejects.toThrow('environment');
  });

  it("never serves one caller's permissions to another", async () => {
    const access = createAccess({ db: database.db, clock: systemClock, toldUntil: () => Date.now() });
    const eve = await here.addTenant('eve');
    const names = { workspace: ada.workspace.id, project: ada.project.key };
    expect((await access.scope(ada.caller, names)).project?.id).toBe(ada.project.id);
    await expect(access.scope(eve.caller, names)).rejects.toThrow('workspace');
    // Both workspaces have a project with this key.
    const own = await access.scope(eve.caller, { workspace: eve.workspace.id, project: ada.project.key });
    expect(own.project?.id).toBe(eve.project.id);
  });
});
