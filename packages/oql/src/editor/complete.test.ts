import { classHighlighter, highlightTree } from '@lezer/highlight';
import { expect, test } from 'vitest';
import { complete } from './complete.ts';
import { oqlLanguage } from './index.ts';

function labels(text: string, kind?: string): string[] {
  return complete(text, text.length)
    .proposals.filter((proposal) => kind === undefined || proposal.kind === kind)
    .map((proposal) => proposal.label);
}

test('proposes sources at the start of a query', () => {
  expect(labels('', 'source')).toEqual([
    ...[
      'logs',
      'spans',
      'traces',
      'events',
      'links',
      'profiles',
      'metric',
      'metrics',
      'exemplars',
      'flags',
      'changes',
      'fields',
    ],
  ]);
});

test('proposes stages and aggregates after a bar', () => {
  expect(labels('logs | ', 'stage')).toEqual(expect.arrayContaining(['where', 'stats', 'limit', 'match', 'increase']));
  expect(labels('logs | ', 'function')).toContain('count');
  expect(complete('logs | whe', 10).from).toBe(7);
});

test('proposes the fields of the signal in a condition, with their types', () => {
  const found = complete('spans | where dur', 17);
  expect(found.fieldsOf).toBe('spans');
  expect(found.proposals.find((proposal) => proposal.label === 'duration')).toMatchObject({
    kind: 'field',
    detail: 'duration',
    info: 'How long the span took.',
  });
  expect(labels('spans | where self', 'field')).toContain('self_time');
  expect(labels('spans | where crit', 'field')).toContain('critical_path');
  expect(labels('spans | where ', 'field')).not.toContain('body');
});

test('proposes the columns of a grouping after it', () => {
  expect(labels('spans | stats n=count() by service.name | sort ', 'field')).toEqual(['service.name', 'n']);
});

test('proposes the named values of a field', () => {
  expect(labels('spans | where status == ', 'value')).toEqual(['unset', 'ok', 'error']);
  expect(labels('logs | where severity in (warn, ', 'value')).toContain('error');
});

test('requests values by field, also inside quotes', () => {
  expect(complete('spans | where service.name == ', 30).valuesOf).toBe('service.name');
  expect(complete('spans | where service.name == "che', 34)).toMatchObject({
    from: 31,
    valuesOf: 'service.name',
    inString: true,
    proposals: [],
  });
});

test('proposes the fields of the sub-query source in a sub-query', () => {
  expect(labels('logs | where trace_id in (spans | where par', 'field')).toContain('parent_span_id');
});

test('proposes `within` and the columns after it', () => {
  const groups = 'spans | stats n=count() by service.name | ';
  expect(labels(`${groups}top 3 by n `, 'keyword')).toContain('within');
  expect(labels(`${groups}extend x = rank(n) `, 'keyword')).toContain('within');
  expect(labels(`${groups}top 3 by n within `, 'field')).toEqual(['service.name', 'n']);
});

test('highlights with the grammar of the compiler', () => {
  const text = 'logs | where body has "x" and n > 5ms // why';
  const parts: string[] = [];
  highlightTree(oqlLanguage.parser.parse(text), classHighlighter, (from, to, classes) => {
    parts.push(`${text.slice(from, to)}:${classes.replaceAll('tok-', '')}`);
  });
  expect(parts).toEqual(
    expect.arrayContaining(['logs:keyword', 'where:keyword', 'body:propertyName', '"x":string', '// why:comment']),
  );
});

test('proposes window functions and aggregates with `over` in `extend`', () => {
  const prefix = 'logs | stats n=count() by bucket(5m) | extend x = ';
  expect(labels(prefix, 'function')).toEqual(expect.arrayContaining(['lag', 'anomaly', 'avg', 'round']));
  expect(labels('logs | where x == ', 'function')).not.toContain('lag');
  expect(labels(`${prefix}avg(n) over 5 `, 'keyword')).toEqual(expect.arrayContaining(['buckets', 'rows']));
  expect(labels(`${prefix}avg(n) `, 'keyword')).toContain('over');
});

test('proposes the columns of a listing as fields', () => {
  expect(labels('metrics | where ', 'field')).toEqual(expect.arrayContaining(['name', 'kind', 'services']));
  expect(labels('fields | where ', 'field')).toEqual(expect.arrayContaining(['name', 'scope', 'types']));
  expect(labels('exemplars latency | where ', 'field')).toEqual(expect.arrayContaining(['value', 'trace_id']));
});

test('proposes sources and own fields in a sub-query for a value', () => {
  expect(labels('spans | where duration > (logs | where ', 'field')).toContain('body');
});

test('proposes sources in a union, and the columns of all of them after it', () => {
  expect(labels('logs | stats n=count() | union (', 'source')).toContain('spans');
  expect(labels('logs | stats n=count() | union (spans | stats m=count()) | where ', 'field')).toEqual(['n', 'm']);
});
