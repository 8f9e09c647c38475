import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { secretVariable } from './secret-variable.ts';

const directory = mkdtempSync(join(tmpdir(), 'fanion-secret-variable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const file = join(directory, 'token');
writeFileSync(file, 'svc_pat_file\n');

it.each([
  [{}, undefined],
  [{ FANION_TOKEN: '' }, undefined],
  [{ FANION_TOKEN: 'svc_pat_variable' }, 'svc_pat_variable'],
  [{ FANION_TOKEN_FILE: file }, 'svc_pat_file'],
])('the token of %j is %s', (env, token) => {
  expect(secretVariable('FANION_TOKEN', env)).toBe(token);
});

it.each([
  [{ FANION_TOKEN: 'x', FANION_TOKEN_FILE: file }, 'FANION_TOKEN and FANION_TOKEN_FILE are set: set one of them'],
  [{ FANION_TOKEN_FILE: directory }, `FANION_TOKEN_FILE: ${directory} cannot be read: EISDIR`],
])('%j is an error', (env, message) => {
  expect(() => secretVariable('FANION_TOKEN', env)).toThrow(message);
});
