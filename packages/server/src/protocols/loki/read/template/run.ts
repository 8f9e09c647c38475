import { type Line, labelOf } from '../line-rules.ts';
import { LogqlError } from '../logql/error.ts';
import { functions } from './functions.ts';
import { type Node, type Operand, type Pipeline, parseTemplate } from './parse.ts';
import type { TemplateContext } from './signature.ts';
import { timeText } from './time.ts';
import { isTime, isTrue, plainText, TemplateError, type Value } from './value.ts';

/** Characters that a template may write, and steps that it may take, for one line. */
const mostText = 1_000_000;
const mostSteps = 20_000;

/**
 * Compiles a template of Go's `text/template` with the functions that Loki documents. What it returns throws `TemplateError` for
 * lines that it cannot format.
 *
 * @throws LogqlError
 */
export function compileTemplate(text: string): (line: Line) => string {
  const nodes = parseTemplate(text);
  checkNames(nodes);
  return (line) => new Execution(line).run(nodes);
}

function checkNames(nodes: readonly Node[]): void {
  const ofPipeline = ({ commands }: Pipeline): void => {
    for (const { of } of commands.flat()) {
      if (of.kind === 'pipeline') ofPipeline(of.pipeline);
      if (of.kind === 'call' && !isKnown(of.name))
        throw new LogqlError(`invalid template: function ${JSON.stringify(of.name)} not defined`);
    }
  };
  for (const node of nodes) {
    if (node.kind === 'text') continue;
    ofPipeline(node.pipeline);
    if (node.kind !== 'write') checkNames([...node.then, ...node.otherwise]);
  }
}

function isKnown(name: string): boolean {
  return Object.hasOwn(functions, name) || name === 'and' || name === 'or';
}

type Scope = Map<string, Value>;

class Execution {
  readonly #line: Line;
  readonly #context: TemplateContext;
  #text = '';
  #steps = 0;
  #scopes: Scope[] = [new Map()];

  constructor(line: Line) {
    this.#line = line;
    this.#context = { line: line.text, timeNs: line.timeNs, longest: mostText };
  }

  run(nodes: readonly Node[]): string {
    this.#nodes(nodes, this.#line);
    return this.#text;
  }

  #step(): void {
    if (++this.#steps > mostSteps) throw new TemplateError(`the template takes more than ${mostSteps} steps`);
  }

  #nodes(nodes: readonly Node[], dot: Value | Line): void {
    for (const node of nodes) {
      this.#step();
      if (node.kind === 'text') this.#write(node.text);
      else if (node.kind === 'write') {
        const value = this.#pipeline(node.pipeline, dot);
        if (node.pipeline.names.length === 0) this.#write(plainText(value, timeText));
      } else this.#block(node, dot);
    }
  }

  #write(text: string): void {
    this.#text += text;
    if (this.#text.length > mostText) throw new TemplateError(`the result has more than ${mostText} characters`);
  }

  #block({ kind, pipeline, then, otherwise }: Exclude<Node, { kind: 'text' | 'write' }>, dot: Value | Line): void {
    this.#scopes.push(new Map());
    const value = this.#pipeline(pipeline, dot);
    if (kind === 'range') this.#range(value, pipeline, then, otherwise, dot);
    else if (isTrue(value)) this.#nodes(then, kind === 'with' ? value : dot);
    else this.#nodes(otherwise, dot);
    this.#scopes.pop();
  }

  #range(
    value: Value,
    { names }: Pipeline,
    then: readonly Node[],
    otherwise: readonly Node[],
    dot: Value | Line,
  ): void {
    if (typeof value === 'string' && value !== '') throw new TemplateError("range can't iterate over a string");
    const isMap = typeof value === 'object' && value !== null && !isTime(value);
    const entries: [Value, Value][] = !isMap
      ? []
      : Array.isArray(value)
        ? value.map((one, at) => [BigInt(at), one])
        : Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length === 0) this.#nodes(otherwise, dot);
    for (const [key, one] of entries) {
      this.#step();
      const [first, second] = names;
      if (second !== undefined) this.#scopes.at(-1)?.set(second, one);
      if (first !== undefined) this.#scopes.at(-1)?.set(first, second === undefined ? one : key);
      this.#nodes(then, one);
    }
  }

  #pipeline({ names, isNew, commands }: Pipeline, dot: Value | Line): Value {
    let value: Value;
    for (const [at, command] of commands.entries()) value = this.#command(command, dot, at === 0 ? [] : [value]);
    const [name] = names;
    if (name !== undefined && names.length === 1) {
      const known = isNew ? undefined : this.#scopes.findLast((scope) => scope.has(name));
      (known ?? this.#scopes.at(-1))?.set(name, value);
    }
    return value;
  }

  /** The value of an earlier command is the last argument. */
  #command([first, ...others]: readonly Operand[], dot: Value | Line, last: readonly Value[]): Value {
    this.#step();
    if (first === undefined) return undefined;
    if (first.of.kind !== 'call') {
      if (others.length + last.length > 0) throw new TemplateError("can't give an argument to what is not a function");
      return this.#operand(first, dot);
    }
    const { name } = first.of;
    if (name === 'and' || name === 'or') {
      let value: Value = last[0];
      for (const one of others) {
        value = this.#operand(one, dot);
        if (isTrue(value) === (name === 'or')) return value;
      }
      return last.length > 0 ? last[0] : value;
    }
    const args = [...others.map((one) => this.#operand(one, dot)), ...last];
    const call = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (call === undefined) throw new TemplateError(`function ${name} not defined`);
    return call(args, this.#context);
  }

  #operand({ of, fields }: Operand, dot: Value | Line): Value {
    this.#step();
    switch (of.kind) {
      case 'literal':
        return of.value;
      case 'call':
        return this.#command([{ of, fields: [] }], dot, []);
      case 'pipeline':
        return fieldsOf(this.#pipeline(of.pipeline, dot), fields);
      case 'variable': {
        if (of.name === '$') return this.#ofDot(this.#line, fields);
        const scope = this.#scopes.findLast((one) => one.has(of.name));
        if (scope === undefined) throw new TemplateError(`undefined variable ${JSON.stringify(of.name)}`);
        return fieldsOf(scope.get(of.name), fields);
      }
      case 'dot':
        return this.#ofDot(dot, fields);
    }
  }

  /** The labels of the line, or the value of `with` and `range`. */
  #ofDot(dot: Value | Line, fields: readonly string[]): Value {
    if (dot !== this.#line) return fieldsOf(dot as Value, fields);
    const [label, ...rest] = fields;
    if (label === undefined)
      return Object.fromEntries([...this.#line.metadata, ...this.#line.stream, ...this.#line.parsed]);
    return fieldsOf(labelOf(this.#line, label) ?? '', rest);
  }
}

function fieldsOf(value: Value, fields: readonly string[]): Value {
  let found = value;
  for (const field of fields) {
    if (found === undefined || found === null) return undefined;
    if (typeof found !== 'object' || Array.isArray(found) || isTime(found))
      throw new TemplateError(`can't evaluate field ${field}`);
    found = Object.hasOwn(found, field) ? found[field] : undefined;
  }
  return found;
}
