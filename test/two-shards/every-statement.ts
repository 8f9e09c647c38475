import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { literalsOf, missingIn } from './literals.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Gives the workers a folder in which they note each statement that had the same answer both ways. A whole run must have all. */
export default function setUp(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'statements-'));
  process.env.FANION_STATEMENTS = folder;
  return async () => {
    const statements = readdirSync(folder).flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): string => JSON.parse(line)),
    );
    rmSync(folder, { recursive: true, force: true });
    const missing = missingIn(statements, literalsOf(root));
    const list = missing.map(({ at, fixed }) => `  ${at} ${fixed.join('…').replace(/\s+/g, ' ').trim().slice(0, 80)}`);
    console.log(`${statements.length} statements were asked both ways`);
    if (missing.length === 0) return;
    console.error(`no test asked these over two shards:\n${list.join('\n')}`);
    // A run of some of the files cannot have them all.
    const all = (await project.globTestFiles()).testFiles.length;
    if (project.vitest.state.getTestModules().length === all) process.exitCode = 1;
  };
}
