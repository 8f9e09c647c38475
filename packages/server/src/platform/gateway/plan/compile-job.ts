import {
  type BoundText,
  type BoundVariable,
  bindVariables,
  type CompileOptions,
  type CompileResult,
  compile,
  compileRelation,
  metricsIn,
  parse,
  type RelationOptions,
  type RelationResult,
  validate,
  variablesIn,
} from '@fanion/oql';

/** A request to the compiler: plain data, so that it can be sent to a worker thread. */
export type CompileJob =
  | { readonly do: 'compile'; readonly text: string; readonly options: CompileOptions }
  | { readonly do: 'relation'; readonly text: string; readonly options: RelationOptions }
  | {
      readonly do: 'validate';
      readonly text: string;
      readonly options: Parameters<typeof validate>[1];
    }
  | { readonly do: 'variables'; readonly text: string }
  | { readonly do: 'bind'; readonly text: string; readonly variables: ReadonlyMap<string, BoundVariable> };

export interface Validation extends ReturnType<typeof validate> {
  readonly metrics: readonly string[];
  /** Number of stages of the pipeline; 0 if it cannot be parsed. */
  readonly stages: number;
}

export type JobResult<Job extends CompileJob> = Job extends { do: 'compile' }
  ? CompileResult
  : Job extends { do: 'relation' }
    ? RelationResult
    : Job extends { do: 'variables' }
      ? readonly string[]
      : Job extends { do: 'bind' }
        ? BoundText
        : Validation;

export function runCompileJob<Job extends CompileJob>(job: Job): JobResult<Job>;
export function runCompileJob(
  job: CompileJob,
): CompileResult | RelationResult | Validation | BoundText | readonly string[] {
  if (job.do === 'compile') return compile(job.text, job.options);
  if (job.do === 'relation') return compileRelation(job.text, job.options);
  if (job.do === 'variables') return variablesIn(job.text);
  if (job.do === 'bind') return bindVariables(job.text, job.variables);
  const { text, options } = job;
  const judged = validate(text, options);
  return { ...judged, metrics: metricsIn(text), stages: parse(text).query?.pipeline.stages.length ?? 0 };
}
