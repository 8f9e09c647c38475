import { describe, expect, it } from 'vitest';
import { placeOfUrl, reasonOf } from './place-rules.ts';

describe('placeOfUrl', () => {
  it.each([
    ['postgres://fanion:p@ss@db:5432/fanion?sslmode=require', 'postgres://db:5432/fanion'],
    ['postgres://postgres@/fanion?host=%2Frun%2Fpostgresql&port=5433', 'postgres:///run/postgresql/fanion'],
    ['https://fanion:secret@one:8443,two:8443', 'https://one:8443,two:8443'],
    ['http://127.0.0.1:8123', 'http://127.0.0.1:8123'],
  ])('shows where %s is, without user and password', (url, place) => {
    expect(placeOfUrl(url)).toBe(place);
  });
});

describe('reasonOf', () => {
  it('masks passwords, encoded or not, and cuts long messages', () => {
    const urls = ['postgres://fanion:a%2Fb@db/fanion', undefined, 'http://ch:8123', 'http://default:100%@ch'];
    expect(reasonOf('no a/b at postgres://fanion:a%2Fb@db, nor 100%', urls)).toBe(
      'no [secret] at postgres://fanion:[secret]@db, nor [secret]',
    );
    expect(reasonOf('x'.repeat(5_000), urls)).toHaveLength(1_000);
  });
});
