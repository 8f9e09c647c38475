import { expect, it } from 'vitest';
import { unitText } from './index.ts';

it.each([
  ['1', ''],
  ['', ''],
  ['{request}', 'requests'],
  ['{request}/s', 'requests/s'],
  ['{requests}/s', 'requests/s'],
  ['{query}', 'queries'],
  ['{process}', 'processes'],
  ['{gc_run}', 'gc runs'],
  ['{request}/{connection}', 'requests/connection'],
  ['1{page}', 'pages'],
  ['By', 'bytes'],
  ['By/s', 'bytes/s'],
  ['By{sent}', 'bytes sent'],
  ['s', 's'],
  ['us', 'µs'],
  ['Cel', '°C'],
  ['%', '%'],
])('the unit %j reads %j', (unit, text) => expect(unitText(unit)).toBe(text));
