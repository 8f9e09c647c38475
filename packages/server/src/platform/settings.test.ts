import { describe, expect, it } from 'vitest';
import { settings } from '../config.ts';
import { bytes, count, fill, listSettings, mebibyte, setting } from './settings.ts';

const help = 'of a test';
const group = {
  rules: setting('FANION_RULES', count(1, 9).default(3), { help }),
  limits: { size: setting('FANION_SIZE', bytes(1, 4 * mebibyte).optional(), { help }) },
};

describe('a group of settings', () => {
  it('lists the variables of the groups in it', () => {
    expect(listSettings(group).map(({ variable }) => variable)).toEqual(['FANION_RULES', 'FANION_SIZE']);
  });

  it('holds the value of each variable at the place of its setting', () => {
    const filled = fill(group, { FANION_RULES: 5, FANION_SIZE: undefined, FANION_OTHER: 7 });
    expect(filled).toEqual({ rules: 5, limits: { size: undefined } });
  });
});

it('every variable of the server is declared once', () => {
  const variables = listSettings(settings).map(({ variable }) => variable);
  expect(variables.filter((variable, index) => variables.indexOf(variable) !== index)).toEqual([]);
});

describe('bytes', () => {
  const read = (text: string) => group.limits.size.schema.safeParse(text).data;

  it('are a number, or one with a unit', () => {
    expect([read('1024'), read('1.5MiB'), read('0.001GiB')]).toEqual([1024, 1_572_864, 1_073_742]);
  });

  it.each(['0', '5MiB', '1KiB', '1 MiB', '1.5', ''])('are not %j', (text) => {
    expect(read(text)).toBe(undefined);
  });
});
