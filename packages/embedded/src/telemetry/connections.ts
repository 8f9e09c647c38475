import type { Connection, Native } from './native.ts';

/** A connection of the pool, with what it remembers. */
export interface PooledConnection {
  readonly connection: Connection;
  /** Empty: the engine's own. */
  readonly database: string;
  readonly generation: number;
  /** Whether it has been told its database. */
  isOpened: boolean;
  /** Bytes of all parameters that were set on it. */
  parameterBytes: number;
}

export interface ConnectionPool {
  take(database: string): PooledConnection;
  /** Keeps the connection for the next statement in its database. Only one whose statement has ended well. */
  give(pooled: PooledConnection): void;
  /** Closes the connection: an error or an abort may have left it in any state. */
  discard(pooled: PooledConnection): void;
  /** Closes idle connections now and the others when they come back: a database may have been dropped or renamed. */
  clear(): void;
}

/** Parameters stay on a connection until they are set again. This bounds their number and size. */
const MOST_PARAMETER_BYTES = 1 << 20;

/** @param mostIdle connections that are kept, of all databases together */
export function createConnectionPool(
  native: Pick<Native, 'CreateConnection' | 'CloseConnection'>,
  dir: string,
  mostIdle: number,
): ConnectionPool {
  /** The one that was used last is at the end. */
  let idle: PooledConnection[] = [];
  let generation = 0;

  const discard = ({ connection }: PooledConnection) => native.CloseConnection(connection);

  return {
    take(database) {
      const at = idle.findLastIndex((one) => one.database === database);
      const [known] = at < 0 ? [] : idle.splice(at, 1);
      return (
        known ?? {
          connection: native.CreateConnection(dir),
          database,
          generation,
          isOpened: false,
          parameterBytes: 0,
        }
      );
    },
    give(pooled) {
      if (pooled.generation !== generation || pooled.parameterBytes > MOST_PARAMETER_BYTES) return discard(pooled);
      idle.push(pooled);
      const oldest = idle.length > mostIdle ? idle.shift() : undefined;
      if (oldest) discard(oldest);
    },
    discard,
    clear() {
      generation++;
      for (const one of idle) discard(one);
      idle = [];
    },
  };
}
