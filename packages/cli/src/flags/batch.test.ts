import { createClient } from '@fanion/contract';
import { expect, it } from 'vitest';
import { usageOf } from '../commands/command.ts';
import { importCommand } from '../commands/import.ts';
import { executeTogether } from './batch.ts';

it('refuses an import of more writes than one request can have, and names the limit and the way out', async () => {
  const write = { kind: 'archive_flag', key: 'a', version: 1 } as const;
  const steps = Array.from({ length: 100_001 }, () => ({
    title: 'flag a',
    write,
    lines: [],
    digest: 'x',
    waiting: false,
  }));
  // Nothing listens there: a request would fail otherwise.
  const connection = { client: createClient({ baseUrl: 'http://127.0.0.1:9' }), scope: { ws: 'w', p: 'p' } };
  const outcome = await executeTogether(connection, steps, 'imported');
  expect(outcome).toEqual({
    outcome: 'refused',
    problems: [
      'an import is one transaction of at most 100000 writes, and this one has 100001 (one for each flag, its prerequisites, its targeting in each environment, and each segment): use --output DIR to write files instead, and then fanion apply -f DIR, which has no such limit',
    ],
  });
  expect(usageOf(importCommand)).not.toContain('--dir');
});
