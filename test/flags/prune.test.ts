import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyCommand } from '../../packages/cli/src/flags/apply-command.ts';
import { exportCommand } from '../../packages/cli/src/flags/export-command.ts';
import type { Terminal } from '../../packages/cli/src/flags/terminal.ts';
import { type SignedUp, signUp } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { flagsOf } from './support.ts';

describe('fanion apply --prune', () => {
  let server: TestServer;
  let user: SignedUp;
  let token: string;
  let directory: string;

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'prune');
    directory = await mkdtemp(join(tmpdir(), 'fanion-prune-'));
    token = await user.token(['flags:read', 'flags:write'], { project: user.projectId });
  });
  afterAll(async () => {
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function run(
    command: (argv: readonly string[], terminal: Terminal) => Promise<number>,
    argv: readonly string[],
    ask?: Terminal['ask'],
  ) {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const env = { FANION_ENDPOINT: server.base, FANION_TOKEN: token };
    const code = await command(argv, { out: write, err: write, ask, env });
    return { code, text: lines.join('\n') };
  }

  it('prunes what is in no file: shown first, never without a yes, flags to the archive, segments for good', async () => {
    const dir = join(directory, 'pruned');
    const flags = flagsOf(user);
    await flags.create('kept');
    expect(await run(exportCommand, ['--dir', dir])).toMatchObject({ code: 0 });
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

    expect((await run(applyCommand, ['-f', dir])).text).toContain(
      '2 flags and 2 segments of the project are not named',
    );
    const refused = await run(applyCommand, ['-f', dir, '--prune']);
    expect(refused.code).toBe(2);
    expect(refused.text).toMatch(
      /- flag extra-top[\s\S]*- flag extra-base[\s\S]*on in production[\s\S]*- segment extra-people/,
    );
    expect((await run(applyCommand, ['-f', dir, '--prune', '--dry-run'])).text).toContain(
      '4 changes; nothing was changed',
    );
    expect((await user.get(`${user.project}/flags/extra-base`)).data.archived).toBe(false);

    const asked: string[] = [];
    const no = async (question: string) => {
      asked.push(question);
      return false;
    };
    expect((await run(applyCommand, ['-f', dir, '--prune'], no)).code).toBe(1);
    expect(asked).toEqual(['Make 4 changes, 4 of which take something away?']);
    expect((await user.get(`${user.project}/segments/extra-people`)).status).toBe(200);

    const pruned = await run(applyCommand, ['-f', dir, '--prune', '--yes']);
    expect(pruned, pruned.text).toMatchObject({ code: 0 });
    for (const key of ['extra-top', 'extra-base'])
      expect((await user.get(`${user.project}/flags/${key}`)).data.archived).toBe(true);
    expect((await user.get(`${user.project}/flags/kept`)).data.archived).toBe(false);
    expect((await user.get(`${user.project}/segments/extra-people`)).status).toBe(404);
    // An archived flag may come back, and what it names with it.
    expect(pruned.text).toMatch(/segment named: it stays[\s\S]*3 done, 1 stay/);
    expect((await user.get(`${user.project}/segments/named`)).status).toBe(200);
    expect(await run(applyCommand, ['-f', dir, '--prune', '--yes'])).toMatchObject({ code: 0 });
  });
});
