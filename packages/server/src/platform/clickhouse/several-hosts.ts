import { urlsOf } from '../url-hosts.ts';
import { type ClickHouse, type ClickHouseOptions, createClickHouse as createForOne } from './client.ts';
import { storeErrorCode } from './errors.ts';

/**
 * A client of a store that has one or several addresses. With several, it stays with one until that does not answer, then takes the next:
 * reads follow inserts through the same server.
 */
export function createClickHouse(options: ClickHouseOptions): ClickHouse {
  const [first, ...others] = urlsOf(options.url).map((url) => createForOne({ ...options, url }));
  if (first === undefined) throw new Error('CLICKHOUSE_URL has no host');
  return others.length === 0 ? first : failingOver(first, others);
}

function failingOver(first: ClickHouse, others: readonly ClickHouse[]): ClickHouse {
  const clients = [first, ...others];
  let current = first;

  async function once<T>(run: (client: ClickHouse) => Promise<T>): Promise<T> {
    const used = current;
    try {
      return await run(used);
    } catch (error) {
      // Others may have moved on meanwhile.
      if (isUnreachable(error) && current === used) current = clients[clients.indexOf(used) + 1] ?? first;
      throw error;
    }
  }

  /** A read may be sent again to each of the others. */
  async function read<T>(run: (client: ClickHouse) => Promise<T>): Promise<T> {
    for (let left = others.length; left > 0; left--) {
      try {
        return await once(run);
      } catch (error) {
        if (!isUnreachable(error)) throw error;
      }
    }
    return once(run);
  }

  return {
    query: (sql, options) => read((client) => client.query(sql, options)),
    open: (sql, options, format) => read((client) => client.open(sql, options, format)),
    queryRows: (sql, options) => read((client) => client.queryRows(sql, options)),
    async *stream(sql, options) {
      const { rows, begun } = await read(async (client) => {
        const rows = client.stream(sql, options);
        return { rows, begun: await rows.next() };
      });
      if (begun.done) return;
      try {
        yield begun.value;
        yield* rows;
      } finally {
        await rows.return();
      }
    },
    // Whoever sent a write knows whether it may be repeated.
    command: (sql, options) => once((client) => client.command(sql, options)),
    insert: (...given) => once((client) => client.insert(...given)),
    async ping() {
      const answers = await Promise.all(clients.map((client) => client.ping()));
      return answers.includes(true);
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

/** `ECONNRESET`: the server ended while it answered. */
const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
]);

/** Whether a server did not answer at all; it may have done what it was sent. */
export function isUnreachable(error: unknown): boolean {
  if (storeErrorCode(error) !== undefined || !(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (code !== undefined && unreachable.has(code)) || /sent nothing for|Timeout error/.test(error.message);
}
