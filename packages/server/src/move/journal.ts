import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { Block } from '../store-copy/rules.ts';

/** A block with its number, from which its deduplication token derives. */
export interface PlannedBlock extends Block {
  readonly number: number;
}

/** What was copied of a partition. */
export interface CopiedPartition {
  readonly table: string;
  readonly partition: string;
  /** The parts of all planned blocks. */
  readonly parts: ReadonlySet<string>;
  /** Blocks that may not be in the target yet. */
  readonly unfinished: readonly PlannedBlock[];
}

/**
 * What a move has copied, as a file of lines, so that a move that was killed continues. A block is planned before it is sent. A planned
 * block is sent again with the same token, which the target recognizes.
 */
export interface Journal {
  /** Of the move. */
  readonly id: string;
  partitions(): CopiedPartition[];
  partition(table: string, partition: string): CopiedPartition | undefined;
  plan(table: string, partition: string, blocks: readonly Block[]): PlannedBlock[];
  done(table: string, partition: string, block: PlannedBlock): void;
  /** The target has nothing of the partition any more. */
  reset(table: string, partition: string): void;
  remove(): void;
}

type Line =
  | { readonly move: string }
  | { readonly plan: { readonly table: string; readonly partition: string; readonly blocks: readonly PlannedBlock[] } }
  | { readonly done: { readonly table: string; readonly partition: string; readonly number: number } }
  | { readonly reset: { readonly table: string; readonly partition: string } };

interface State {
  readonly table: string;
  readonly partition: string;
  readonly parts: Set<string>;
  readonly unfinished: Map<number, PlannedBlock>;
}

/** The id of the move that the file is about, if there is one. */
export function journalId(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const [first] = readLines(file);
  return first !== undefined && 'move' in first ? first.move : undefined;
}

export function createJournal(file: string, id: string): Journal {
  writeFileSync(file, `${JSON.stringify({ move: id })}\n`, { mode: 0o600 });
  return openJournal(file, id);
}

/** @throws Error if the file is damaged other than at its end */
export function openJournal(file: string, id: string): Journal {
  const states = new Map<string, State>();
  let next = 0;

  const stateOf = (table: string, partition: string): State => {
    const key = `${table}/${partition}`;
    const known = states.get(key) ?? { table, partition, parts: new Set(), unfinished: new Map() };
    states.set(key, known);
    return known;
  };
  const apply = (line: Line) => {
    if ('plan' in line) {
      const state = stateOf(line.plan.table, line.plan.partition);
      for (const block of line.plan.blocks) {
        for (const part of block.parts) state.parts.add(part);
        state.unfinished.set(block.number, block);
        next = Math.max(next, block.number + 1);
      }
    } else if ('done' in line) stateOf(line.done.table, line.done.partition).unfinished.delete(line.done.number);
    else if ('reset' in line) states.delete(`${line.reset.table}/${line.reset.partition}`);
  };
  for (const line of readLines(file)) apply(line);
  // A kill may leave half a line at the end, which says nothing yet.
  truncateSync(file, readFileSync(file).lastIndexOf('\n') + 1);
  const add = (line: Line) => {
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    apply(line);
  };
  const copied = ({ unfinished, ...state }: State): CopiedPartition => ({
    ...state,
    unfinished: [...unfinished.values()],
  });

  return {
    id,
    partitions: () => [...states.values()].map(copied),
    partition(table, partition) {
      const state = states.get(`${table}/${partition}`);
      return state && copied(state);
    },
    plan(table, partition, blocks) {
      const planned = blocks.map((block, at) => ({ ...block, number: next + at }));
      if (planned.length > 0) add({ plan: { table, partition, blocks: planned } });
      return planned;
    },
    done: (table, partition, { number }) => add({ done: { table, partition, number } }),
    reset: (table, partition) => add({ reset: { table, partition } }),
    remove: () => rmSync(file, { force: true }),
  };
}

function readLines(file: string): Line[] {
  const complete = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return complete.map((line): Line => JSON.parse(line));
}
