import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignedUp } from '../../packages/server/src/testing/test-client.ts';
import { type CommandLine, startCommandLine } from './command-line.ts';
import { flagsOf } from './support.ts';

describe('fanion apply --prune', () => {
  let commands: CommandLine;
  let user: SignedUp;
  let directory: string;
  let run: CommandLine['run'];

  beforeAll(async () => {
    commands = await startCommandLine('prune');
    ({ user, directory, run } = commands);
  });
  afterAll(() => commands?.stop());

  it('prunes what has no file after confirmation: archives flags and deletes segments', async () => {
    const dir = join(directory, 'pruned');
    const flags = flagsOf(user);
    await flags.create('kept');
    expect(await run('export', ['--dir', dir])).toMatchObject({ code: 0 });
    for (const key of ['extra-people', 'named'])
      await user.post(`${user.project}/segments`, { key, name: key, included: ['u'] });
    await flags.create('extra-base');
    await flags.create('extra-top');
    await flags.serve('extra-base', {
      rules: [{ clauses: [{ op: 'in_segment', values: ['named'] }], variant: 'true' }],
    });
    const required = { prerequisites: [{ flag: 'extra-base', variants: ['true'] }], version: 1 };
    const set = await user.put(`${user.project}/flags/extra-top/prerequisites`, required);
    expect(set.status, set.text).toBe(200);

    expect((await run('apply', ['-f', dir])).text).toContain('2 flags and 2 segments of the project have no file');
    const refused = await run('apply', ['-f', dir, '--prune']);
    expect(refused.code).toBe(2);
    expect(refused.text).toMatch(
      /- flag extra-top[\s\S]*- flag extra-base[\s\S]*on in production[\s\S]*- segment extra-people/,
    );
    expect((await run('apply', ['-f', dir, '--prune', '--dry-run'])).text).toContain('4 changes; nothing was changed');
    expect((await user.get(`${user.project}/flags/extra-base`)).data.archived).toBe(false);

    const asked: string[] = [];
    const no = async (question: string) => {
      asked.push(question);
      return false;
    };
    expect((await run('apply', ['-f', dir, '--prune'], { ask: no })).code).toBe(1);
    expect(asked).toEqual(['Make 4 changes, 4 of which remove something?']);
    expect((await user.get(`${user.project}/segments/extra-people`)).status).toBe(200);

    const pruned = await run('apply', ['-f', dir, '--prune', '--yes']);
    expect(pruned, pruned.text).toMatchObject({ code: 0 });
    for (const key of ['extra-top', 'extra-base'])
      expect((await user.get(`${user.project}/flags/${key}`)).data.archived).toBe(true);
    expect((await user.get(`${user.project}/flags/kept`)).data.archived).toBe(false);
    expect((await user.get(`${user.project}/segments/extra-people`)).status).toBe(404);
    // An archived flag can be restored, so its segment is kept.
    expect(pruned.text).toMatch(/segment named: kept[\s\S]*3 done, 1 kept/);
    expect((await user.get(`${user.project}/segments/named`)).status).toBe(200);
    expect(await run('apply', ['-f', dir, '--prune', '--yes'])).toMatchObject({ code: 0 });
  });
});
