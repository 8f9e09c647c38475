import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allRoutes } from './index.ts';
import { WebUrl } from './primitives.ts';

describe('a URL that a user sets', () => {
  it.each(['https://example.com/runbook', 'http://example.com:8080/a b?q=1#x', 'https://xn--bcher-kva.example/'])(
    'can be %s',
    (url) => {
      expect(WebUrl.safeParse(url).success).toBe(true);
    },
  );
  it.each(['\r', '\n', '\t', '\0', '\u007f', '\u0085', '\u2028'])('never contains %j', (character) => {
    for (const url of [
      `https://example.com/${character}`,
      `https://exam${character}ple.com/`,
      `${character}https://a.b/`,
    ])
      expect(WebUrl.safeParse(url).success).toBe(false);
  });
  it.each(['javascript:alert(1)', 'data:text/html,x', 'ftp://example.com', '//example.com', 'example.com'])(
    'is not %s',
    (url) => {
      expect(WebUrl.safeParse(url).success).toBe(false);
    },
  );

  it('is checked like that wherever a body has one', () => {
    const found: string[] = [];
    for (const { id, body } of allRoutes) {
      const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
      visit(schema, (name, field) => {
        if (!/(^|_)(url|href)$/.test(name)) return;
        found.push(`${id} ${name}`);
        expect(JSON.stringify(field), `${id}: ${name} takes control characters`).toMatch(/"pattern"/);
      });
    }
    expect(found).toEqual(expect.arrayContaining(['services.update runbook_url', 'channels.create url']));
  });
});

function visit(schema: unknown, look: (name: string, field: unknown) => void): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties } = schema as { properties?: Record<string, unknown> };
  for (const [name, field] of Object.entries(properties ?? {})) look(name, field);
  for (const child of Object.values(schema)) visit(child, look);
}
