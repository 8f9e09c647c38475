import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Terminal } from '../../packages/cli/src/files/terminal.ts';
import { run } from '../../packages/cli/src/index.ts';
import { type SignedUp, signUp } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';

export interface CommandLine {
  readonly server: TestServer;
  readonly user: SignedUp;
  /** Has the minimal permissions of the commands, pinned to the project. */
  readonly token: string;
  readonly directory: string;
  /** Runs a command like a pipeline; without `ask` nobody can confirm. */
  run(
    command: string,
    argv: readonly string[],
    more?: { readonly env?: Readonly<Record<string, string>>; readonly ask?: Terminal['ask'] },
  ): Promise<{ code: number; text: string }>;
  stop(): Promise<void>;
}

/** The commands with files against a server, with an API token and an empty directory. */
export async function startCommandLine(
  name: string,
  permissions: readonly string[] = ['flags:read', 'flags:write'],
): Promise<CommandLine> {
  const server = await startTestServer();
  const user = await signUp(server.base, name);
  const directory = await mkdtemp(join(tmpdir(), `fanion-${name}-`));
  const token = await user.token(
    permissions,
    permissions.some((one) => /^(alerts|dashboards):/.test(one)) ? {} : { project: user.projectId },
  );
  return {
    server,
    user,
    token,
    directory,
    async run(command, argv, { env = {}, ask } = {}) {
      const lines: string[] = [];
      const write = (line: string) => void lines.push(line);
      const given = { FANION_ENDPOINT: server.base, FANION_TOKEN: token, ...env };
      const code = await run([command, ...argv], { out: write, err: write, ask, env: given });
      return { code, text: lines.join('\n') };
    },
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
