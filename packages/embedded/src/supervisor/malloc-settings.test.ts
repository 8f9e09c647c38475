import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { startControlStore } from '../control/start.ts';
import type { EmbeddedStore } from '../store.ts';
import { startTelemetryStore } from '../telemetry/start.ts';
import { rememberingLog, temporaryDirectory } from '../testing/temporary.ts';
import { mallocSettings } from './malloc-settings.ts';

const stores: { name: string; start: (dir: string) => Promise<EmbeddedStore> }[] = [
  { name: 'control', start: (dir) => startControlStore({ dir, log: rememberingLog() }) },
  { name: 'telemetry', start: (dir) => startTelemetryStore({ dir, log: rememberingLog() }) },
];

test.runIf(process.platform === 'linux').each(stores)(
  'the process of the $name store returns freed memory by the settings of malloc',
  async ({ start }) => {
    const store = await start(temporaryDirectory());
    onTestFinished(() => store.stop());
    const environment = readFileSync(`/proc/${store.pid()}/environ`, 'utf8').split('\0');
    expect(environment).toEqual(
      expect.arrayContaining(Object.entries(mallocSettings).map(([name, value]) => `${name}=${value}`)),
    );
  },
);
