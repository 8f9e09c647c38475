import { isDeepStrictEqual } from 'node:util';
import type { CompileOptions, FieldCatalogue } from '@fanion/oql';
import type { Knowledge } from '../know/knowledge.ts';
import type { Compiler } from './compiler.ts';

/**
 * A compiler for statements that cannot be asked again, as those that are streamed or part of others: it knows the places of the attributes that a
 * text names, as they were at most five seconds ago. Texts whose options have a catalogue are compiled with that one.
 */
export function createPlacesFirst(compiler: Compiler, knowledge: Pick<Knowledge, 'places'>): Compiler {
  async function knowing<T extends { readonly ok: boolean; readonly reach?: { readonly fromNs: bigint } }>(
    text: string,
    { scope, window, catalogue }: Pick<CompileOptions, 'scope' | 'window' | 'catalogue'>,
    compile: (known: { readonly catalogue?: FieldCatalogue }) => Promise<T>,
  ): Promise<T> {
    const { workspace, project, environment } = scope;
    const placesSince = (fromNs: bigint) => knowledge.places({ workspace, project, environment }, text, fromNs);
    const places = catalogue ? undefined : await placesSince(window.fromNs);
    if (places === undefined) return compile({});
    const result = await compile({ catalogue: places });
    // A query may read before its window, as with `compare 7d`.
    if (result.reach === undefined || result.reach.fromNs >= window.fromNs) return result;
    const all = (await placesSince(result.reach.fromNs)) ?? places;
    return isDeepStrictEqual(all, places) ? result : compile({ catalogue: all });
  }
  return {
    ...compiler,
    compile: (text, options, asked) =>
      knowing(text, options, (known) => compiler.compile(text, { ...options, ...known }, asked)),
    compileRelation: (text, options, asked) =>
      knowing(text, options, (known) => compiler.compileRelation(text, { ...options, ...known }, asked)),
  };
}
