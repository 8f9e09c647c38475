import { addressTest } from './addresses.ts';
import { type Line, labelOf } from './line-rules.ts';
import type { Comparison, LabelChoice, LabelFilter, LineFilter, Matcher, Stage } from './logql/ast.ts';
import { LogqlError } from './logql/error.ts';
import { bytesOf, durationNs, numberOf } from './logql/units-rules.ts';
import { extracted, failed, parseJson, parseLogfmt, patternParser, unpack } from './parsers-rules.ts';
import { compilePattern, templateTest, wholePattern } from './pattern-rules.ts';
import { compileTemplate } from './template/run.ts';
import { TemplateError } from './template/value.ts';

/** Changes a line; false: it is left out. */
export type Step = (line: Line) => boolean;

/** @throws LogqlError for what is not supported */
export function pipelineOf(stages: readonly Stage[]): Step {
  const steps = stages.map(stepOf);
  return (line) => steps.every((step) => step(line));
}

const always = (change: (line: Line) => void): Step => {
  return (line) => {
    change(line);
    return true;
  };
};

function stepOf(stage: Stage): Step {
  switch (stage.kind) {
    case 'line_filter':
      return lineFilterOf(stage);
    case 'label_filter':
      return labelFilterOf(stage.filter);
    case 'json':
      return always((line) => parseJson(line, stage.fields));
    case 'logfmt':
      return always((line) => parseLogfmt(line, stage));
    case 'unpack':
      return always(unpack);
    case 'pattern':
      return always(patternParser(stage.pattern));
    case 'regexp':
      return regexpOf(stage.pattern);
    case 'decolorize':
      return always((line) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals begin with one
        line.text = line.text.replaceAll(/\u001b\[[\d;]*[A-Za-z]/g, '');
      });
    case 'line_format': {
      const written = template(stage.template);
      return always((line) => {
        line.text = written(line) ?? line.text;
      });
    }
    case 'label_format':
      return labelFormatOf(stage.assignments);
    case 'drop':
    case 'keep':
      return always(chooser(stage.kind === 'drop', stage.labels));
  }
}

/** A line that the template cannot format keeps its text, and has an error. */
function template(text: string): (line: Line) => string | undefined {
  const written = compileTemplate(text);
  return (line) => {
    try {
      return written(line);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      failed(line, 'TemplateFormatErr', error.message);
      return undefined;
    }
  };
}

function lineFilterOf({ op, texts, ranges }: LineFilter): Step {
  const isNegated = op.startsWith('!');
  const any = (tests: readonly ((text: string) => boolean)[]): Step => {
    return ({ text }) => tests.some((test) => test(text)) !== isNegated;
  };
  if (op === '|=' || op === '!=')
    return any([...texts.map((sought) => (text: string) => text.includes(sought)), ...ranges.map(addressTest)]);
  if (op === '|>' || op === '!>') return any(texts.map(templateTest));
  const patterns = texts.map(compilePattern);
  return any(patterns.map((pattern) => (text) => pattern.find(text) !== undefined));
}

export function matcherOf({ op, value }: Matcher): (text: string) => boolean {
  if (op === '=') return (text) => text === value;
  if (op === '!=') return (text) => text !== value;
  const pattern = compilePattern(wholePattern(value));
  return (text) => (pattern.find(text) !== undefined) === (op === '=~');
}

/** As Loki: a text filter takes a missing label for empty, the others leave the line out; a value that is none of its kind is an error of the line. */
export function labelFilterOf(filter: LabelFilter): Step {
  switch (filter.kind) {
    case 'text': {
      const matches = matcherOf(filter.matcher);
      return (line) => matches(labelOf(line, filter.matcher.name) ?? '');
    }
    case 'and':
    case 'or': {
      const [left, right] = [labelFilterOf(filter.left), labelFilterOf(filter.right)];
      return filter.kind === 'and' ? (line) => left(line) && right(line) : (line) => left(line) || right(line);
    }
    case 'ip': {
      const { name, op, range } = filter;
      const contains = addressTest(range);
      return (line) => {
        if (line.parsed.has('__error__')) return true;
        const text = labelOf(line, name);
        return text !== undefined && contains(text) === (op === '=');
      };
    }
    default: {
      const read = { number: numberOf, bytes: bytesOf, duration: durationNumber }[filter.kind];
      return (line) => {
        if (line.parsed.has('__error__')) return true;
        const text = labelOf(line, filter.name);
        if (text === undefined) return false;
        const value = read(text);
        if (value !== undefined) return compared(value, filter.op, filter.value);
        failed(line, 'LabelFilterErr', `${JSON.stringify(text.slice(0, 100))} is not a ${filter.kind}`);
        return true;
      };
    }
  }
}

function durationNumber(text: string): number | undefined {
  const ns = durationNs(text);
  return ns === undefined ? undefined : Number(ns);
}

function compared(left: number, op: Comparison, right: number): boolean {
  switch (op) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

function regexpOf(text: string): Step {
  const pattern = compilePattern(text);
  const { names } = pattern;
  if (names.length === 0) throw new LogqlError('parse error : at least one named capture must be supplied to regexp');
  return always((line) => {
    const match = pattern.find(line.text);
    if (match === undefined) return;
    for (const name of names) extracted(line, name, match.group(name) ?? '');
  });
}

function labelFormatOf(assignments: Extract<Stage, { kind: 'label_format' }>['assignments']): Step {
  const steps = assignments.map(({ name, from }) => {
    if ('template' in from) {
      const written = template(from.template);
      return (line: Line) => setLabel(line, name, written(line) ?? labelOf(line, name) ?? '');
    }
    return (line: Line) => {
      const value = labelOf(line, from.label);
      if (value === undefined) return;
      removeLabel(line, from.label);
      setLabel(line, name, value);
    };
  });
  return always((line) => {
    for (const step of steps) step(line);
  });
}

function setLabel(line: Line, name: string, value: string): void {
  removeLabel(line, name);
  line.parsed.set(name, value);
}

function removeLabel(line: Line, name: string): void {
  for (const labels of [line.stream, line.metadata, line.parsed]) labels.delete(name);
}

function chooser(isDrop: boolean, choices: readonly LabelChoice[]): (line: Line) => void {
  const matching = new Map(choices.map(({ name, matcher }) => [name, matcher ? matcherOf(matcher) : () => true]));
  return (line) => {
    const all = [...line.stream, ...line.metadata, ...line.parsed];
    for (const [name, value] of all) {
      const isChosen = matching.get(name)?.(value) === true;
      // What tells of errors stays, unless it is dropped by name.
      if (isDrop ? isChosen : !isChosen && !name.startsWith('__')) removeLabel(line, name);
    }
  };
}
