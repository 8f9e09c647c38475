import type {
  BoundText,
  BoundVariable,
  CompileOptions,
  CompileResult,
  RelationOptions,
  RelationResult,
  validate,
} from '@fanion/oql';
import { workerEntry } from '../../worker-entry.ts';
import { type CompileJob, type JobResult, runCompileJob, type Validation } from './compile-job.ts';
import { JobThread } from './job-thread.ts';

/**
 * Texts up to this length are compiled on the main thread, longer ones in another. Of 512 characters, the worst of 14 kinds
 * took 20 ms of processor time, and flag evaluations waited up to 53 ms for two of them (`bench/flags.ts
 * --beside-queries`, 2026-11-22).
 */
export const inlineCharacters = 128;
/** Texts up to this length have a thread of their own, so that they do not wait behind texts that take seconds. */
export const shortCharacters = 512;

export interface Compiler {
  /** Throws `QUERY_TOO_EXPENSIVE` if it exceeds the budget, and `QUERY_QUEUE_FULL`. */
  compile(
    text: string,
    options: CompileOptions,
    asked: { readonly workspace: number; readonly signal: AbortSignal },
  ): Promise<CompileResult>;
  /** The same for a query as a table of another statement. */
  compileRelation(
    text: string,
    options: RelationOptions,
    asked: { readonly workspace: number; readonly signal: AbortSignal },
  ): Promise<RelationResult>;
  /** The same for a check without a run. */
  validate(
    text: string,
    options: Parameters<typeof validate>[1],
    asked: { readonly workspace: number; readonly signal: AbortSignal },
  ): Promise<Validation>;
  /** The same for the names of the variables that a query uses. */
  variablesIn(
    text: string,
    asked: { readonly workspace: number; readonly signal: AbortSignal },
  ): Promise<readonly string[]>;
  /** The same for writing the values of variables into a query. Always in a thread: a short text can become a long one. */
  bindVariables(
    text: string,
    variables: ReadonlyMap<string, BoundVariable>,
    asked: { readonly workspace: number; readonly signal: AbortSignal },
  ): Promise<BoundText>;
  stats(): { readonly inThread: number; readonly stopped: number; readonly waiting: number };
  stop(): Promise<void>;
}

/** @param budgetMs limit of one compilation in a thread */
export function createCompiler({ budgetMs }: { readonly budgetMs: number }): Compiler {
  const options = {
    entry: workerEntry('./compile-worker', import.meta.url),
    budgetMs,
    tooLong: `compiling it takes longer than ${budgetMs} ms; use fewer columns, conditions or joined queries`,
  };
  // A page of panels asks for many short texts at once.
  const short = new JobThread({ ...options, waiting: 64 });
  const long = new JobThread({ ...options, waiting: 8 });

  async function run<Job extends CompileJob>(
    job: Job,
    asked: { workspace: number; signal: AbortSignal },
  ): Promise<JobResult<Job>> {
    const { length } = job.text;
    // The first longer texts wait until the thread has loaded its code: the main thread, whose code is just as cold,
    // would need up to 118 ms for one of 512 characters (measured on 2 cores, 2026-11-22).
    const thread = length <= shortCharacters ? short : long;
    const isInline = length <= inlineCharacters && job.do !== 'bind';
    const result = isInline ? runCompileJob(job) : await thread.run(job, asked);
    return result as JobResult<Job>;
  }

  return {
    compile: (text, options, asked) => run({ do: 'compile', text, options }, asked),
    compileRelation: (text, options, asked) => run({ do: 'relation', text, options }, asked),
    validate: (text, options, asked) => run({ do: 'validate', text, options }, asked),
    variablesIn: (text, asked) => run({ do: 'variables', text }, asked),
    bindVariables: (text, variables, asked) => run({ do: 'bind', text, variables }, asked),
    stats() {
      const [one, other] = [short.stats(), long.stats()];
      return {
        inThread: one.inThread + other.inThread,
        stopped: one.stopped + other.stopped,
        waiting: one.waiting + other.waiting,
      };
    },
    async stop() {
      await Promise.all([short.stop(), long.stop()]);
    },
  };
}
