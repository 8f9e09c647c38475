import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { CutNote } from './trace-cut.tsx';

const log = {
  time: '2026-11-30T12:00:00Z',
  severity: 'INFO',
  body: 'x',
  service: 'web',
  span_id: null,
  attributes: {},
};
const note = (logs: number | undefined, list: 'logs' | 'flags' = 'logs') => {
  const trace = { trace_id: 'a'.repeat(32), ...(logs !== undefined && { logs: Array(logs).fill(log) }) };
  return renderToStaticMarkup(createElement(CutNote, { trace, list }));
};

describe('CutNote', () => {
  it('names the query for all log records if the list is full', () => {
    expect(note(5_000)).toContain('at most 5,000 log records');
    expect(note(5_000)).toContain(`logs | where trace_id == &quot;${'a'.repeat(32)}&quot;`);
  });

  it.each([
    ['a shorter list', note(4_999)],
    ['a list that was not asked for', note(undefined)],
    ['another list', note(5_000, 'flags')],
  ])('shows nothing for %s', (_name, markup) => {
    expect(markup).toBe('');
  });
});
