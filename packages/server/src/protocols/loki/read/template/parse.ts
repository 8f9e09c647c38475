import { LogqlError } from '../logql/error.ts';
import { type Token, tokensOf } from './tokens.ts';

/** A value in a template. Fields of it are read in turn. */
export interface Operand {
  readonly of:
    | { readonly kind: 'literal'; readonly value: string | bigint | number | boolean | null }
    | { readonly kind: 'dot' }
    | { readonly kind: 'variable'; readonly name: string }
    | { readonly kind: 'call'; readonly name: string }
    | { readonly kind: 'pipeline'; readonly pipeline: Pipeline };
  readonly fields: readonly string[];
}

export interface Pipeline {
  /** Variables that get the value. */
  readonly names: readonly string[];
  readonly isNew: boolean;
  /** Each a function or value, and its arguments. */
  readonly commands: readonly (readonly Operand[])[];
}

export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'write'; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'range' | 'with';
      readonly pipeline: Pipeline;
      readonly then: readonly Node[];
      readonly otherwise: readonly Node[];
    };

/** The parser and the evaluation use the stack for each level. */
const deepest = 100;

/** Reads a template of Go's `text/template`. @throws LogqlError */
export function parseTemplate(text: string): readonly Node[] {
  const tokens = tokensOf(text);
  let at = 0;
  let depth = 0;
  const peek = () => tokens[at];
  const wrong = (what: string) => new LogqlError(`invalid template: ${what}`);
  const isNext = (kind: Token['kind'], word?: string) =>
    peek()?.kind === kind && (word === undefined || peek()?.text === word);
  const takes = (kind: Token['kind'], word?: string) => {
    if (!isNext(kind, word)) return false;
    at++;
    return true;
  };
  const expect = (kind: Token['kind'], word?: string) => {
    if (!takes(kind, word))
      throw wrong(`unexpected ${peek() ? JSON.stringify(peek()?.text) : 'end'}, expected ${word ?? kind}`);
  };
  const deeper = <T>(read: () => T): T => {
    if (++depth > deepest) throw wrong(`it is nested more than ${deepest} levels deep`);
    const result = read();
    depth--;
    return result;
  };

  function nodes(): Node[] {
    const found: Node[] = [];
    for (let token = peek(); token !== undefined; token = peek()) {
      if (token.kind === 'text') {
        at++;
        found.push({ kind: 'text', text: token.text });
        continue;
      }
      expect('open');
      if (isNext('word', 'end') || isNext('word', 'else')) {
        at--;
        return found;
      }
      const keyword = peek()?.kind === 'word' ? peek()?.text : undefined;
      if (keyword === 'if' || keyword === 'range' || keyword === 'with') {
        at++;
        found.push(deeper(() => block(keyword)));
      } else {
        const written = pipeline();
        expect('close');
        found.push({ kind: 'write', pipeline: written });
      }
    }
    return found;
  }

  function block(kind: 'if' | 'range' | 'with'): Node {
    const of = pipeline();
    expect('close');
    const then = nodes();
    expect('open');
    let otherwise: Node[] = [];
    if (takes('word', 'else')) {
      // `else if` shares the end of the outer block.
      if (kind !== 'range' && takes('word', kind))
        return { kind, pipeline: of, then, otherwise: [deeper(() => block(kind))] };
      expect('close');
      otherwise = nodes();
      expect('open');
    }
    expect('word', 'end');
    expect('close');
    return { kind, pipeline: of, then, otherwise };
  }

  function pipeline(): Pipeline {
    const start = at;
    const names: string[] = [];
    while (isNext('variable')) {
      names.push(tokens[at++]?.text ?? '');
      if (!takes('sign', ',')) break;
    }
    const assigns = names.length > 0 && isNext('assign') ? tokens[at++]?.text : undefined;
    if (assigns === undefined) {
      at = start;
      names.length = 0;
    }
    const commands = [command()];
    while (takes('sign', '|')) commands.push(command());
    return { names, isNew: assigns === ':=', commands };
  }

  function command(): Operand[] {
    const operands: Operand[] = [];
    for (let one = operand(); one !== undefined; one = operand()) operands.push(one);
    if (operands.length === 0) throw wrong(`missing value before ${JSON.stringify(peek()?.text ?? 'end')}`);
    return operands;
  }

  function fields(): string[] {
    const found: string[] = [];
    while (isNext('field') && peek()?.isAttached) found.push(tokens[at++]?.text ?? '');
    return found;
  }

  function operand(): Operand | undefined {
    const token = peek();
    if (token === undefined) return undefined;
    const { kind, text } = token;
    if (kind === 'field') {
      at++;
      return { of: { kind: 'dot' }, fields: [...(text === '' ? [] : [text]), ...fields()] };
    }
    if (kind === 'string' || kind === 'number') {
      at++;
      return { of: { kind: 'literal', value: token.value ?? text }, fields: [] };
    }
    if (kind === 'variable') {
      at++;
      return { of: { kind: 'variable', name: text }, fields: fields() };
    }
    if (kind === 'word') {
      at++;
      const known = { true: true, false: false, nil: null }[text];
      return known === undefined
        ? { of: { kind: 'call', name: text }, fields: [] }
        : { of: { kind: 'literal', value: known }, fields: [] };
    }
    if (kind !== 'sign' || text !== '(') return undefined;
    at++;
    const inner = deeper(pipeline);
    expect('sign', ')');
    return { of: { kind: 'pipeline', pipeline: inner }, fields: fields() };
  }

  const all = nodes();
  if (at < tokens.length) throw wrong(`unexpected ${JSON.stringify(tokens[at + 1]?.text ?? '')}`);
  return all;
}
