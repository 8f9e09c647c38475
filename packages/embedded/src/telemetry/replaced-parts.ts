import type { Engine } from './engine.ts';
import { quoteIdentifier } from './quoting.ts';

/** Between two looks for parts that have been replaced. */
const LOOK_MS = 10_000;
/** Tables let go of them by then (`old_parts_lifetime`, migration 33 of the server). */
const KEPT_SECONDS = 10;

/**
 * Makes the engine delete the parts that merges have replaced. By itself it looks for them only when it looks for merges, which it does
 * less and less often while a table gets no rows: a minute and a half after the last insert, they took as much of the disk as all others.
 *
 * @returns to call from time to time; it rejects as the engine does
 */
export function createPartRemoval(engine: Pick<Engine, 'query'>): () => Promise<void> {
  let lookedAt = Date.now();
  return async () => {
    if (Date.now() - lookedAt < LOOK_MS) return;
    lookedAt = Date.now();
    const { bytes } = await engine.query({
      id: 'replaced-parts',
      format: 'JSONCompactEachRow',
      sql: `SELECT DISTINCT database, table FROM system.parts WHERE NOT active AND remove_time < now() - ${KEPT_SECONDS}`,
      settings: new Map([['readonly', '1']]),
    });
    for (const line of Buffer.from(bytes).toString().split('\n').filter(Boolean)) {
      const [database, table]: string[] = JSON.parse(line);
      const name = `${quoteIdentifier(database ?? '')}.${quoteIdentifier(table ?? '')}`;
      // Also looks at once where it is allowed already.
      await engine.query({ id: 'remove-parts', format: 'Null', sql: `SYSTEM START CLEANUP ${name}` });
    }
  };
}
