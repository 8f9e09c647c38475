import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, startCommandLine } from '../flags/command-line.ts';

describe('fanion flag', () => {
  let commands: CommandLine;
  let fanion: (...args: string[]) => ReturnType<CommandLine['run']>;
  const development = ['--environment', 'development'];
  beforeAll(async () => {
    commands = await startCommandLine('flag-commands');
    fanion = (...args) => commands.run('flag', args);
    const { post, project } = commands.user;
    const created = await post(`${project}/flags`, { key: 'banner', name: 'Banner', kind: 'boolean' });
    expect(created.status, created.text).toBe(201);
  });
  afterAll(() => commands?.stop());
  const targeting = async (environment = 'development') =>
    (await commands.user.get(`${commands.user.project}/environments/${environment}/flags/banner`)).data;

  it('switches a flag on and off, once each, with a reason in its history', async () => {
    const on = await fanion('on', 'banner', ...development, '--reason', 'for the fair');
    expect(on).toEqual({ code: 0, text: 'banner on in development' });
    expect((await targeting()).enabled).toBe(true);
    const { version } = await targeting();
    expect(await fanion('on', 'banner', ...development)).toEqual({ code: 0, text: 'banner already on in development' });
    expect((await targeting()).version).toBe(version);
    const [entry] = (await commands.user.get(`${commands.user.project}/flags/banner/changes`)).data;
    expect(entry).toMatchObject({ comment: 'for the fair', environment: 'development' });
    expect((await fanion('off', 'banner', ...development)).code).toBe(0);
    expect((await targeting()).enabled).toBe(false);
  });

  it('sets what is served, to all or to a percentage', async () => {
    const some = await fanion('set', 'banner', ...development, '--variant', 'true', '--percent', '12.5');
    expect(some).toEqual({ code: 0, text: 'banner serves true to 12.5 % in development' });
    expect((await targeting()).fallthrough.rollout.weights).toEqual([
      { variant: 'true', weight: 12_500 },
      { variant: 'false', weight: 87_500 },
    ]);
    const all = await fanion('set', 'banner', ...development, '--variant', 'true', '--json');
    expect(JSON.parse(all.text)).toMatchObject({ flag: 'banner', fallthrough: { variant: 'true' } });
    const unknown = await fanion('set', 'banner', ...development, '--variant', 'maybe');
    expect(unknown).toMatchObject({ code: 2, text: expect.stringContaining('no variant maybe; it has') });
  });

  it('lists flags and shows one', async () => {
    const list = await fanion('list');
    expect(list.text).toMatch(
      /^key +kind +(production +development|development +production)\n.*\nbanner +boolean +off +off$/,
    );
    expect(JSON.parse((await fanion('list', '--json')).text)).toMatchObject([{ key: 'banner' }]);
    expect((await fanion('get', 'banner')).text).toMatch(/^key: banner$/m);
    expect((await fanion('get', 'banner', ...development)).text).toMatch(/^environment: development$/m);
    expect(await fanion('get', 'nothing')).toMatchObject({ code: 1, text: expect.stringContaining('SVC-4001') });
  });

  it('files a change request where approval is required, and prints its address', async () => {
    const { patch, get, project } = commands.user;
    await patch(`${project}/environments/production`, { requires_approval: true });
    const filed = await fanion('on', 'banner', '--environment', 'production', '--reason', 'launch');
    const [pending] = (await get(`${project}/flag-changes?status=pending`)).data;
    expect(filed).toEqual({
      code: 0,
      text: `production requires approval: filed change request ${pending.id}\n${commands.server.base}/w/${commands.user.slug}/default/changes?change=${pending.id}`,
    });
    expect(pending).toMatchObject({ flag: 'banner', comment: 'launch' });
    expect((await targeting('production')).enabled).toBe(false);
  });

  it.each([
    [1, 0],
    [2, 1],
  ])('after changes by others behind its first %i reads, exits with %i', async (times, code) => {
    const path = `${commands.user.project}/environments/development/flags/banner`;
    let left = times;
    const busy = createServer(async (request, response) => {
      const body = request.method === 'GET' ? undefined : await text(request);
      const { authorization = '' } = request.headers;
      const headers = { authorization, 'content-type': 'application/json' };
      const { method = 'GET', url = '' } = request;
      const answer = await fetch(commands.server.base + url, { method, headers, ...(body !== undefined && { body }) });
      const content = await answer.text();
      if (method === 'GET' && url.endsWith('/flags/banner') && left-- > 0)
        await commands.user.put(path, { ...JSON.parse(content).data, off_variant: left === 0 ? 'true' : 'false' });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(content);
    });
    busy.listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const address = busy.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { enabled } = await targeting();
    const args = [enabled ? 'off' : 'on', 'banner', ...development];
    const ended = await commands.run('flag', args, { env: { FANION_ENDPOINT: `http://127.0.0.1:${port}` } });
    busy.close();
    expect(ended.code, ended.text).toBe(code);
    expect((await targeting()).enabled).toBe(code === 0 ? !enabled : enabled);
    if (code === 1) expect(ended.text).toMatch(/stale version .* \(SVC-4003\)/);
  });

  it.each([
    [['on'], /name one flag/],
    [['on', 'banner'], /name the environment: --environment KEY/],
    [['set', 'banner', '--environment', 'development'], /--variant KEY/],
    [['set', 'banner', '--environment', 'development', '--variant', 'true', '--percent', '101'], /from 0 to 100/],
    [['toggle', 'banner'], /unknown command "flag toggle"/],
  ])('rejects %s', async (args, problem) => {
    expect(await fanion(...args)).toMatchObject({ code: 2, text: expect.stringMatching(problem) });
  });
});
