import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newWorkspace, type SignedUp, signUp } from '../../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let owner: SignedUp;
let ada: SignedUp;
beforeAll(async () => {
  server = await startTestServer();
  owner = await signUp(server.base, 'ada');
});
beforeEach(async () => {
  ada = await newWorkspace(owner, 'inhibition');
});
afterAll(() => server?.stop());

const path = () => `${ada.workspace}/inhibition-rules`;
const rule = { name: 'Critical first', source: ['severity=critical'], target: ['severity=~"warning|info"'] };

describe('inhibition rules', () => {
  it('are kept as they were written, change by version, and are deleted', async () => {
    const { status, data } = await ada.post(path(), { ...rule, equal: ['service.name', 'service.name'] });
    expect(status).toBe(201);
    expect(data).toMatchObject({
      name: 'Critical first',
      source: [{ name: 'severity', op: '=', value: 'critical' }],
      target: [{ name: 'severity', op: '=~', value: 'warning|info' }],
      equal: ['service.name'],
      version: 1,
    });
    const one = `${path()}/${data.id}`;
    expect((await ada.get(path())).data).toEqual([data]);
    expect((await ada.patch(one, { version: 1, equal: [] })).data).toMatchObject({
      equal: [],
      version: 2,
      source: data.source,
    });
    expect((await ada.patch(one, { version: 1, name: 'x' })).json.error.code).toBe('SVC-4003');
    expect((await ada.del(one)).status).toBe(204);
    expect((await ada.get(one)).status).toBe(404);
  });

  it.each([
    ['no source', { source: [] }, 'SVC-1002', /source/],
    ['a target without a name', { target: ['=x'] }, 'SVC-7035', /target\[0\]/],
    ['a pattern that does not compile', { source: ['a=~"("'] }, 'SVC-7035', /source\[0\].*not an RE2 pattern/],
    ['a label name with a quote', { equal: ['a"b'] }, 'SVC-1002', /equal/],
  ])('reject %s', async (_name, changes, code, message) => {
    const answer = await ada.post(path(), { ...rule, ...changes });
    expect([answer.status, answer.json.error.code]).toEqual([422, code]);
    expect(answer.json.error.message).toMatch(message);
  });

  it('of another workspace do not exist', async () => {
    const { data } = await ada.post(path(), rule);
    const eve = await newWorkspace(owner, 'other');
    const foreign = `${eve.workspace}/inhibition-rules/${data.id}`;
    const answers = [await eve.get(foreign), await eve.patch(foreign, { name: 'x' }), await eve.del(foreign)];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});
