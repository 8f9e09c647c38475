import { TemplateError, type Value } from './value.ts';

/** What functions know of the line. */
export interface TemplateContext {
  readonly line: string;
  readonly timeNs: bigint;
  /** Most characters of a text that a function makes. */
  readonly longest: number;
}

export type TemplateFunction = (args: readonly Value[], context: TemplateContext) => Value;

export function counted(name: string, args: readonly Value[], least: number, most = least): void {
  if (args.length < least || args.length > most)
    throw new TemplateError(`wrong number of args for ${name}: want ${least} got ${args.length}`);
}

/** A function of texts, as Go: a value of another type is an error. */
export function ofTexts(name: string, count: number, run: (...texts: string[]) => Value): TemplateFunction {
  return (args) => {
    counted(name, args, count);
    const wrong = args.find((one) => typeof one !== 'string');
    if (wrong !== undefined) throw new TemplateError(`wrong type for value of ${name}; expected string`);
    return run(...(args as string[]));
  };
}
