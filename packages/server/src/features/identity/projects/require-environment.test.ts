import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';

/** A list about something that does not exist is an error, since an empty one would read as "nothing is wrong there". */

let world: TelemetryWorld;
beforeAll(async () => {
  world = await startTelemetryWorld();
});
afterAll(() => world?.stop());

const ofWorkspace = ['alert-rules', 'slos', 'recording-rules', 'dashboards', 'saved-queries', 'query-history'];
const ofProject = ['flag-changes', 'ramps', 'guarded-releases'];

describe('a list', () => {
  it.each([...ofWorkspace, 'annotations'])('%s of an unknown environment names those that exist', async (list) => {
    const { status, json } = await world.ada.get(`${world.ada.workspace}/${list}?environment=nope`);
    expect([status, json.error.message]).toEqual([
      404,
      'no such environment: nope; these exist: development, production',
    ]);
  });

  it.each(ofWorkspace)('%s of a known environment is empty', async (list) => {
    const { status, data } = await world.ada.get(`${world.ada.workspace}/${list}?environment=production`);
    expect([status, data]).toEqual([200, []]);
  });

  it.each(ofProject)('%s of a project needs an environment that exists', async (list) => {
    const path = `${world.ada.workspace}/projects/default/${list}`;
    const { status, json } = await world.ada.get(`${path}?environment=nope`);
    expect([status, json.error.message]).toEqual([
      404,
      'no such environment: nope; these exist: development, production',
    ]);
    expect((await world.ada.get(`${path}?environment=production`)).status).toBe(200);
  });

  it.each([...ofProject, 'experiments'])('%s of a project needs a flag that exists', async (list) => {
    const { status, json } = await world.ada.get(`${world.ada.workspace}/projects/default/${list}?flag=nope`);
    expect([status, json.error.code]).toEqual([404, 'SVC-4001']);
  });

  it('dashboard-snapshots needs a dashboard that exists', async () => {
    const { status, json } = await world.ada.get(`${world.ada.workspace}/dashboard-snapshots?dashboard=nope`);
    expect([status, json.error.message]).toEqual([404, 'no such dashboard']);
  });
});
