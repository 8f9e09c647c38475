import { expect, it } from 'vitest';
import { selectionOf } from './selection.ts';

it.each([
  ['logs', { source: 'logs' }],
  ['spans | where duration > 1s', { source: 'spans', where: 'duration > 1s' }],
  ['logs | where body contains "a | b"', { source: 'logs', where: 'body contains "a | b"' }],
  [
    'logs | where severity >= error or body == "x" | where service.name == "y"',
    { source: 'logs', where: '(severity >= error or body == "x") and (service.name == "y")' },
  ],
])('reads %s', (oql, selection) => {
  expect(selectionOf(oql)).toEqual(selection);
});

it.each([
  ['metrics', /follows logs or spans/],
  ['logs | limit 10', /only where stages/],
  ['logs | where', /./],
  ['', /./],
])('rejects %j', (oql, message) => {
  expect(() => selectionOf(oql)).toThrow(message);
});
