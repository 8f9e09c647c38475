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

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['nil', null],
]);

/** Reads a template of Go's `text/template`. @throws LogqlError */
export function parseTemplate(text: string): readonly Node[] {
  return new Parser(tokensOf(text)).template();
}

function wrong(what: string): LogqlError {
  return new LogqlError(`invalid template: ${what}`);
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  template(): Node[] {
    const all = this.#nodes();
    if (this.#at < this.#tokens.length)
      throw wrong(`unexpected ${JSON.stringify(this.#tokens[this.#at + 1]?.text ?? '')}`);
    return all;
  }

  #nodes(): Node[] {
    const found: Node[] = [];
    for (let token = this.#peek(); token !== undefined; token = this.#peek()) {
      if (token.kind === 'text') {
        this.#at++;
        found.push({ kind: 'text', text: token.text });
        continue;
      }
      this.#expect('open');
      if (this.#isNext('word', 'end') || this.#isNext('word', 'else')) {
        this.#at--;
        return found;
      }
      const keyword = this.#peek()?.kind === 'word' ? this.#peek()?.text : undefined;
      if (keyword === 'if' || keyword === 'range' || keyword === 'with') {
        this.#at++;
        found.push(this.#deeper(() => this.#block(keyword)));
      } else {
        const pipeline = this.#pipeline();
        this.#expect('close');
        found.push({ kind: 'write', pipeline });
      }
    }
    return found;
  }

  #block(kind: 'if' | 'range' | 'with'): Node {
    const pipeline = this.#pipeline();
    this.#expect('close');
    const then = this.#nodes();
    this.#expect('open');
    let otherwise: Node[] = [];
    if (this.#takes('word', 'else')) {
      // `else if` shares the end of the outer block.
      if (kind !== 'range' && this.#takes('word', kind))
        return { kind, pipeline, then, otherwise: [this.#deeper(() => this.#block(kind))] };
      this.#expect('close');
      otherwise = this.#nodes();
      this.#expect('open');
    }
    this.#expect('word', 'end');
    this.#expect('close');
    return { kind, pipeline, then, otherwise };
  }

  #pipeline(): Pipeline {
    const start = this.#at;
    const names: string[] = [];
    while (this.#isNext('variable')) {
      names.push(this.#next());
      if (!this.#takes('sign', ',')) break;
    }
    const assigns = names.length > 0 && this.#isNext('assign') ? this.#next() : undefined;
    if (assigns === undefined) {
      this.#at = start;
      names.length = 0;
    }
    const commands = [this.#command()];
    while (this.#takes('sign', '|')) commands.push(this.#command());
    return { names, isNew: assigns === ':=', commands };
  }

  #command(): Operand[] {
    const operands: Operand[] = [];
    for (let one = this.#operand(); one !== undefined; one = this.#operand()) operands.push(one);
    if (operands.length === 0) throw wrong(`missing value before ${JSON.stringify(this.#peek()?.text ?? 'end')}`);
    return operands;
  }

  #operand(): Operand | undefined {
    const token = this.#peek();
    if (token === undefined || (token.kind === 'sign' && token.text !== '(')) return undefined;
    const { kind, text, value = text } = token;
    switch (kind) {
      case 'field':
        this.#at++;
        return { of: { kind: 'dot' }, fields: [...(text === '' ? [] : [text]), ...this.#fields()] };
      case 'string':
      case 'number':
        this.#at++;
        return { of: { kind: 'literal', value }, fields: [] };
      case 'variable':
        this.#at++;
        return { of: { kind: 'variable', name: text }, fields: this.#fields() };
      case 'word': {
        this.#at++;
        const constant = constants.get(text);
        const of: Operand['of'] =
          constant === undefined ? { kind: 'call', name: text } : { kind: 'literal', value: constant };
        return { of, fields: [] };
      }
      case 'sign': {
        this.#at++;
        const pipeline = this.#deeper(() => this.#pipeline());
        this.#expect('sign', ')');
        return { of: { kind: 'pipeline', pipeline }, fields: this.#fields() };
      }
      default:
        return undefined;
    }
  }

  #fields(): string[] {
    const found: string[] = [];
    while (this.#isNext('field') && this.#peek()?.isAttached) found.push(this.#next());
    return found;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  #next(): string {
    return this.#tokens[this.#at++]?.text ?? '';
  }

  #isNext(kind: Token['kind'], word?: string): boolean {
    const token = this.#peek();
    return token?.kind === kind && (word === undefined || token.text === word);
  }

  #takes(kind: Token['kind'], word?: string): boolean {
    if (!this.#isNext(kind, word)) return false;
    this.#at++;
    return true;
  }

  #expect(kind: Token['kind'], word?: string): void {
    if (this.#takes(kind, word)) return;
    const found = this.#peek();
    throw wrong(`unexpected ${found ? JSON.stringify(found.text) : 'end'}, expected ${word ?? kind}`);
  }

  #deeper<T>(read: () => T): T {
    if (++this.#depth > deepest) throw wrong(`it is nested more than ${deepest} levels deep`);
    const result = read();
    this.#depth--;
    return result;
  }
}
