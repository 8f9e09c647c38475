import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RecordingServer, startRecordingServer } from '../testing/recording-server.ts';

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer({ answer: () => ({ value: true, variant: 'true' }) });
});
afterEach(() => server.close());

/** The built command as a separate process. */
const ENTRY = new URL('../index.ts', import.meta.url).href.replace('/src/', '/dist/').replace(/\.ts$/, '.js');

it.each(['SIGINT', 'SIGTERM'] as const)('delivers its data and revokes its secrets on %s', async (signal) => {
  const program = `const { demoCommand } = await import(${JSON.stringify(ENTRY)});
    process.exitCode = await demoCommand({ endpoint: ${JSON.stringify(server.endpoint)}, backfill: '0', rate: '2' });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const exited = once(child, 'exit');
    await expect.poll(() => server.spans.length).toBeGreaterThan(0);
    child.kill(signal);
    // It exits by itself: nothing keeps the process alive.
    expect(await exited).toEqual([0, null]);
    expect(output).toContain(`delivered ${server.spans.length.toLocaleString('en-US')} spans`);
    expect(server.calls.filter(({ method }) => method === 'DELETE')).toHaveLength(2);
  } finally {
    child.kill('SIGKILL');
  }
});
