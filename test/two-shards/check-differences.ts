import { afterAll, afterEach } from 'vitest';
import { differences } from './both-ways.ts';

/** Fails a test during which a statement had another answer over two shards. */
function failForDifferences(): void {
  const found = differences.splice(0);
  if (found.length > 0) throw new Error(found.join('\n\n'));
}

afterEach(failForDifferences);
afterAll(failForDifferences);
