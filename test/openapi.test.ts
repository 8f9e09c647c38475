import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allRoutes, openApi } from '@fanion/contract';
import { describe, expect, it } from 'vitest';

const redocly = fileURLToPath(new URL('../node_modules/@redocly/cli/bin/cli.js', import.meta.url));

describe('the API document', () => {
  it('passes the linter without an error', () => {
    const directory = mkdtempSync(join(tmpdir(), 'fanion-openapi-'));
    const file = join(directory, 'openapi.json');
    writeFileSync(
      file,
      JSON.stringify(openApi(allRoutes, { version: '0.1.0', serverUrl: 'https://fanion.example.com' })),
    );
    const run = spawnSync(process.execPath, [redocly, 'lint', '--extends=recommended', '--format=json', file], {
      encoding: 'utf8',
      cwd: directory,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    rmSync(directory, { recursive: true });
    const report = JSON.parse(run.stdout) as {
      totals: { errors: number };
      problems: { severity: string; ruleId: string; message: string; location: { pointer?: string }[] }[];
    };
    const errors = report.problems
      .filter(({ severity }) => severity === 'error')
      .map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
    expect(errors).toEqual([]);
  });
});
