import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { layInitialStores } from '../../packages/server/src/testing/initial-stores.ts';

export { freePort } from '../../packages/server/src/testing/free-port.ts';

/** The command, as it is built. */
export const cli = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));

export interface ServerProcess {
  readonly base: string;
  readonly child: ChildProcess;
  output(): string;
  /** Resolves when it has exited. */
  end(signal: NodeJS.Signals): Promise<void>;
}

interface ProcessOptions {
  /** What it reads; nothing by default. */
  readonly input?: string | undefined;
  /** The command's file. */
  readonly program?: string;
  readonly cwd?: string;
}

/** `fanion <arguments>` as a separate process, in its own process group. */
export function startProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { input, program = cli, cwd }: ProcessOptions = {},
): { child: ChildProcess; output: () => string; end: (signal: NodeJS.Signals) => Promise<void> } {
  const child = spawn(process.execPath, [program, ...args], {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, NODE_ENV: '', FANION_LOG_LEVEL: 'warn', FANION_DRAIN_SECONDS: '0', ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  child.stdin?.end(input);
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  return {
    child,
    output: () => output,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
  };
}

/** Runs a command to its end. */
export async function runProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input?: string,
): Promise<{ code: number | null; output: string }> {
  const { child, output } = startProcess(args, env, { input });
  const [code] = await once(child, 'close');
  return { code, output: output() };
}

/** `fanion serve` as a new user's process; resolves when it is ready. */
export async function serveProcess(
  dataDir: string,
  port: number,
  env: Readonly<Record<string, string>> = {},
  program = cli,
): Promise<ServerProcess> {
  const base = `http://127.0.0.1:${port}`;
  await layInitialStores(dataDir, env);
  const settings = {
    FANION_DATA_DIR: dataDir,
    FANION_PORT: String(port),
    FANION_OTLP_HTTP_PORT: '0',
    FANION_OTLP_GRPC_PORT: '0',
    FANION_FLAGD_PORT: '0',
    FANION_FLAGD_SYNC_PORT: '0',
    FANION_ENGINE_MEMORY: '2GiB',
    FANION_REQUESTS_PER_MINUTE: '1000000',
    ...env,
  };
  const { child, output, end } = startProcess(['serve'], settings, { program });
  const deadline = Date.now() + 100_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${output()}`);
    const ready = await fetch(`${base}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return { base, child, output, end };
    if (Date.now() > deadline) throw new Error(`the server did not become ready: ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
