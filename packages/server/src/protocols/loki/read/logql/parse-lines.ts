import type { Comparison, Extraction, LabelChoice, LabelFilter, LineFilter, LogQuery, Matcher, Stage } from './ast.ts';
import { LogqlError } from './error.ts';
import { allNamed, childrenOf, type SyntaxNode, textOf } from './tree.ts';
import { bytesOf, durationNs } from './units-rules.ts';

/** Reads the parts of a query that are about lines. */
export function linesOf(node: SyntaxNode, query: string): LogQuery {
  const [inner, ...others] = childrenOf(node);
  // Brackets around it.
  if (inner?.name === 'LogExpr' && others.length === 0) return linesOf(inner, query);
  return {
    kind: 'lines',
    matchers: allNamed(node, 'Selector').flatMap((one) => matchersOf(one, query)),
    stages: stagesOf(node, query),
  };
}

export function matchersOf(selector: SyntaxNode, query: string): Matcher[] {
  return allNamed(selector, 'Matcher').map((one) => matcherOf(one, query));
}

export function stagesOf(node: SyntaxNode, query: string): Stage[] {
  return allNamed(node, 'PipelineStage').flatMap((one) => stageOf(one, query));
}

const word = ({ from, to }: SyntaxNode, query: string) => query.slice(from, to);

function matcherOf(node: SyntaxNode, query: string): Matcher {
  const [name, op, value] = childrenOf(node);
  if (!name || !op || !value) throw new LogqlError('parse error: incomplete matcher');
  return { name: word(name, query), op: word(op, query) as Matcher['op'], value: textOf(value, query) };
}

function stageOf(stage: SyntaxNode, query: string): Stage[] {
  const node = childrenOf(stage).find(({ name }) => name !== 'Pipe');
  const texts = () => (node === undefined ? [] : allNamed(node, 'String').map((one) => textOf(one, query)));
  switch (node?.name) {
    case 'LineFilters':
      return lineFiltersOf(node).map((parts) => lineFilterOf(parts, query));
    case 'LabelFilter':
      return [{ kind: 'label_filter', filter: labelFilterOf(node, query) }];
    case 'LabelParser':
      return [parserOf(node, query)];
    case 'JsonExpressionParser':
      return [{ kind: 'json', fields: extractionsOf(node, query) }];
    case 'LogfmtParser':
    case 'LogfmtExpressionParser': {
      const flags = allNamed(node, 'ParserFlag').map((one) => word(one, query));
      const fields = extractionsOf(node, query);
      return [
        { kind: 'logfmt', fields, isStrict: flags.includes('--strict'), keepsEmpty: flags.includes('--keep-empty') },
      ];
    }
    case 'LineFormatExpr':
      return [{ kind: 'line_format', template: texts()[0] ?? '' }];
    case 'LabelFormatExpr':
      return [
        {
          kind: 'label_format',
          assignments: allNamed(node, 'LabelFormatMatcher').map((one) => assignmentOf(one, query)),
        },
      ];
    case 'DecolorizeExpr':
      return [{ kind: 'decolorize' }];
    case 'DropLabelsExpr':
      return [{ kind: 'drop', labels: allNamed(node, 'DropLabel').map((one) => choiceOf(one, query)) }];
    case 'KeepLabelsExpr':
      return [{ kind: 'keep', labels: allNamed(node, 'KeepLabel').map((one) => choiceOf(one, query)) }];
    default:
      throw new LogqlError(`the stage ${JSON.stringify(word(stage, query))} is not supported`);
  }
}

function parserOf(node: SyntaxNode, query: string): Stage {
  const [name, pattern] = childrenOf(node);
  switch (name?.name) {
    case 'Json':
      return { kind: 'json', fields: [] };
    case 'Logfmt':
      return { kind: 'logfmt', fields: [], isStrict: false, keepsEmpty: false };
    case 'Unpack':
      return { kind: 'unpack' };
    case 'Regexp':
    case 'Pattern':
      return { kind: name.name === 'Regexp' ? 'regexp' : 'pattern', pattern: pattern ? textOf(pattern, query) : '' };
    default:
      throw new LogqlError(`the parser ${JSON.stringify(word(node, query))} is not supported`);
  }
}

function extractionsOf(node: SyntaxNode, query: string): Extraction[] {
  return allNamed(node, 'LabelExtractionExpression').map((one) => {
    const [name, , path] = childrenOf(one);
    const label = name ? word(name, query) : '';
    return { name: label, path: path ? textOf(path, query) : label };
  });
}

function assignmentOf(node: SyntaxNode, query: string) {
  const [name, , from] = childrenOf(node);
  const source = from?.name === 'String' ? { template: textOf(from, query) } : { label: from ? word(from, query) : '' };
  return { name: name ? word(name, query) : '', from: source };
}

function choiceOf(node: SyntaxNode, query: string): LabelChoice {
  const [one] = childrenOf(node);
  if (one?.name !== 'Matcher') return { name: one ? word(one, query) : '' };
  const matcher = matcherOf(one, query);
  return { name: matcher.name, matcher };
}

/** The parts of each line filter: its operator, texts and `ip`. What follows `ip()` after `or` stands beside the filter in the tree. */
function lineFiltersOf(node: SyntaxNode): SyntaxNode[][] {
  const found: SyntaxNode[][] = [];
  for (const child of childrenOf(node)) {
    if (child.name === 'LineFilters') found.push(...lineFiltersOf(child));
    else if (child.name === 'LineFilter') found.push(filterParts(child));
    else if (child.name === 'OrFilter') found.at(-1)?.push(...filterParts(child));
  }
  return found;
}

function filterParts(node: SyntaxNode): SyntaxNode[] {
  return childrenOf(node).flatMap((child) => (child.name === 'OrFilter' ? filterParts(child) : [child]));
}

function lineFilterOf([filter, ...parts]: readonly SyntaxNode[], query: string): LineFilter {
  const op = filter ? word(filter, query) : '';
  const [texts, ranges]: [string[], string[]] = [[], []];
  for (const [at, part] of parts.entries())
    if (part.name === 'String') (parts[at - 1]?.name === 'FilterOp' ? ranges : texts).push(textOf(part, query));
  if (ranges.length > 0 && op !== '|=' && op !== '!=')
    throw new LogqlError(`parse error: ip() is not possible with ${op}: use |= or !=`);
  return { kind: 'line_filter', op: op as LineFilter['op'], texts, ranges };
}

/**
 * Conditions with their operators. The tree has `and` and `or` from left to right; Loki's grammar binds `and` closer, and a comma joins all
 * that is after it.
 */
export function labelFilterOf(node: SyntaxNode, query: string): LabelFilter {
  const parts = chainOf(node, query);
  const joined = (least: number): LabelFilter => {
    const first = parts.shift();
    if (first === undefined || typeof first === 'string') throw new LogqlError('parse error: incomplete label filter');
    let left = first;
    for (;;) {
      const operator = parts[0];
      if (typeof operator !== 'string') return left;
      const binds = operator === 'or' ? 1 : 2;
      if (operator !== ',' && binds < least) return left;
      parts.shift();
      const right = joined(operator === ',' ? 0 : binds + 1);
      left = { kind: operator === 'or' ? 'or' : 'and', left, right };
    }
  };
  return joined(0);
}

function chainOf(node: SyntaxNode, query: string): (LabelFilter | string)[] {
  const children = childrenOf(node);
  const [only] = children;
  if (children.length === 1 && only)
    return [only.name === 'LabelFilter' ? labelFilterOf(only, query) : conditionOf(only, query)];
  const [left, ...rest] = children;
  const right = rest.at(-1);
  if (!left || !right) throw new LogqlError('parse error: incomplete label filter');
  const operator =
    rest.length > 1 && rest[0] ? word(rest[0], query) : query.slice(left.to, right.from).includes(',') ? ',' : 'and';
  return [...chainOf(left, query), operator, ...chainOf(right, query)];
}

const comparison = (text: string): Comparison => (text === '=' ? '==' : (text as Comparison));

function conditionOf(node: SyntaxNode, query: string): LabelFilter {
  switch (node.name) {
    case 'Matcher':
      return { kind: 'text', matcher: matcherOf(node, query) };
    case 'IpLabelFilter': {
      const [name, op, , range] = childrenOf(node);
      if (!name || !op || !range) throw new LogqlError('parse error: incomplete label filter');
      const [sign, text] = [word(op, query), textOf(range, query)];
      if (sign !== '=' && sign !== '!=')
        throw new LogqlError(`parse error: ip() is not possible with ${sign}: use = or !=`);
      return { kind: 'ip', name: word(name, query), op: sign, range: text };
    }
    case 'NumberFilter': {
      const [name, op, value] = childrenOf(node);
      const number = Number(value ? word(value, query).replaceAll(/\s/g, '') : '');
      return {
        kind: 'number',
        name: name ? word(name, query) : '',
        op: comparison(op ? word(op, query) : ''),
        value: number,
      };
    }
    case 'UnitFilter': {
      const [inner] = childrenOf(node);
      const [name, op, value] = inner ? childrenOf(inner) : [];
      if (!inner || !name || !op || !value) throw new LogqlError('parse error: incomplete label filter');
      const isDuration = inner.name === 'DurationFilter';
      const text = word(value, query);
      const amount = isDuration ? durationNs(text) : bytesOf(text);
      if (amount === undefined) throw new LogqlError(`parse error: invalid unit in ${JSON.stringify(text)}`);
      return {
        ...{ kind: isDuration ? 'duration' : 'bytes', name: word(name, query), op: comparison(word(op, query)) },
        value: Number(amount),
      };
    }
    default:
      throw new LogqlError(`the label filter ${JSON.stringify(word(node, query))} is not supported`);
  }
}
