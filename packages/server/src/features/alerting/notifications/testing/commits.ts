import {
  type KyselyPlugin,
  type OperationNode,
  type PluginTransformQueryArgs,
  type RootOperationNode,
  TableNode,
} from 'kysely';
import type { Database } from '../../../../platform/postgres/database.ts';

/** A kind of commit: a statement by itself, or a transaction, named by what it writes last. */
interface Commit {
  /** Whether a replica has died just before one, and just after one. */
  before: boolean;
  after: boolean;
}

export class Died extends Error {
  override readonly name = 'Died';
}

/**
 * Databases of replicas that die at commits: just before one, so that nothing of it is kept, or just after it, before the
 * replica hears of it.
 * @param fateAt decides, at each commit, whether the replica dies
 */
export function createCommits(fateAt: (commit: Readonly<Commit>) => 'before' | 'after' | undefined) {
  const commits = new Map<string, Commit>();

  function commitOf(name: string): Commit {
    const known = commits.get(name) ?? { before: false, after: false };
    commits.set(name, known);
    return known;
  }

  function database(db: Database, { isAway, onDeath }: { isAway: () => boolean; onDeath: () => void }): Database {
    let isDead = false;
    function die(): Died {
      isDead = true;
      onDeath();
      return new Died('the replica died');
    }
    function checkAlive(): void {
      if (isDead) throw new Died('the replica is dead');
      if (isAway()) throw new Error('the control plane is away');
    }

    const dying = new WeakSet<object>();
    const alone: KyselyPlugin = {
      transformQuery({ node, queryId }: PluginTransformQueryArgs) {
        checkAlive();
        const name = writeOf(node);
        if (name === undefined) return node;
        const commit = commitOf(name);
        const fate = fateAt(commit);
        if (fate !== undefined) commit[fate] = true;
        if (fate === 'before') throw die();
        if (fate === 'after') dying.add(queryId);
        return node;
      },
      async transformResult({ result, queryId }) {
        if (dying.has(queryId)) throw die();
        return result;
      },
    };
    const withAlone = db.withPlugin(alone);

    function transaction() {
      return {
        execute: async <T>(run: (trx: never) => Promise<T>): Promise<T> => {
          checkAlive();
          let last: string | undefined;
          const within: KyselyPlugin = {
            transformQuery({ node }) {
              checkAlive();
              last = writeOf(node) ?? last;
              return node;
            },
            transformResult: async ({ result }) => result,
          };
          let fate: 'before' | 'after' | undefined;
          const result = await db
            .withPlugin(within)
            .transaction()
            .execute(async (trx) => {
              const done = await run(trx as never);
              checkAlive();
              if (last !== undefined) {
                const commit = commitOf(`a transaction that ends with ${last}`);
                fate = fateAt(commit);
                if (fate !== undefined) commit[fate] = true;
              }
              if (fate === 'before') throw die();
              return done;
            });
          if (fate === 'after') throw die();
          return result;
        },
      };
    }

    return new Proxy(withAlone, {
      get(target, name) {
        if (name === 'transaction') return transaction;
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  return {
    database,
    report: () => ({
      commits: commits.size,
      survived: [...commits].flatMap(([name, { before, after }]) => (before && after ? [] : [name])),
    }),
  };
}

/** What a statement writes: its kind and its table; undefined for a statement that only reads. */
function writeOf(node: RootOperationNode): string | undefined {
  switch (node.kind) {
    case 'InsertQueryNode':
      return `INSERT INTO ${tableOf(node.into)}`;
    case 'UpdateQueryNode':
      return `UPDATE ${tableOf(node.table)}`;
    case 'DeleteQueryNode':
      return `DELETE FROM ${tableOf(node.from.froms[0])}`;
    case 'RawNode':
      return /(?<!FOR )\b(?:UPDATE|INSERT INTO|DELETE FROM)\s+\w+/.exec(node.sqlFragments.join('?'))?.[0];
    default:
      return undefined;
  }
}

function tableOf(node: OperationNode | undefined): string {
  return node !== undefined && TableNode.is(node) ? node.table.identifier.name : 'a table';
}
