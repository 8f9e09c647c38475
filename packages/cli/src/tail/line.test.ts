import { expect, it } from 'vitest';
import { lineOf } from './line.ts';

const log = { time: '2026-11-28T14:00:00.5Z', severity: 'error', 'service.name': 'shop', body: 'no\n\u001b[31mstock' };

it('prints a log record in one line, without its control characters', () => {
  expect(lineOf(log, false)).toBe('2026-11-28T14:00:00.5Z  ERROR  shop  no\\n\\u001b[31mstock');
});

it('prints the name and the duration of a span', () => {
  const span = {
    end: 'later',
    time: 'then',
    duration: 1_500_000_000,
    'service.name': 'shop',
    name: 'GET /',
    status: 'ok',
  };
  expect(lineOf(span, false)).toBe('then  OK     shop  GET / 1.50 s');
});

it('colors errors red', () => {
  expect(lineOf(log, true)).toContain('\u001b[31mERROR\u001b[0m');
});
