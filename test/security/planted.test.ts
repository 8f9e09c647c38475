import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { allRoutes, openApi, route } from '@fanion/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callers, expected, fits, unlisted } from './support/callers.ts';
import { readDocument } from './support/document.ts';
import { faultsOf, placesOf } from './support/references.ts';

const shared = { method: 'POST', summary: 'Planted', response: z.object({ id: z.string() }) } as const;
const open = route({ ...shared, id: 'planted.open', path: '/planted', auth: 'public' });
const free = route({ ...shared, id: 'planted.free', path: '/workspaces/{ws}/planted', auth: 'user' });
const guarded = route({
  ...shared,
  id: 'planted.create',
  path: '/workspaces/{ws}/plants',
  auth: 'user',
  permission: 'alerts:write',
  body: z.strictObject({ channel: z.uuid(), nested: z.array(z.strictObject({ owner_id: z.uuid() })) }),
});

const documentWith = (...routes: Parameters<typeof openApi>[0]) =>
  readDocument(openApi([...allRoutes, ...routes], { version: '0.0.0', serverUrl: 'http://test' }));

describe('a planted defect is found by the checks of', () => {
  it('the matrix: a route that anybody may call', () => {
    expect(unlisted(documentWith(open))).toMatchObject({ open: ['planted.open'], free: [] });
  });

  it('the matrix: a route of people that needs no permission', () => {
    expect(unlisted(documentWith(free))).toMatchObject({ open: [], free: ['planted.free'] });
  });

  it('the references: a field that names something and has no case', () => {
    const known = new Set(placesOf(documentWith()));
    const added = placesOf(documentWith(guarded)).filter((place) => !known.has(place));
    expect(added).toEqual(['planted.create body channel', 'planted.create body nested[].owner_id']);
  });

  describe('a server that does not check', () => {
    const created: string[] = [];
    const server = createServer((request, response) => {
      request.on('data', (body) => created.push(`plants of ${body}`));
      request.on('end', () => response.writeHead(201, { connection: 'close' }).end('{"id":"1"}'));
    });
    beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
    afterAll(() => server.close());

    /** Sends a write that names something. */
    async function outcomeOf(name: string) {
      const before = created.length;
      const { port } = server.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/workspaces/w/plants`, {
        method: 'POST',
        body: name,
      });
      return { status: response.status, text: await response.text(), changes: created.slice(before) };
    }

    it('the caller: it lets in those that the document refuses', async () => {
      const document = documentWith(guarded);
      const operation = document.operations.find(({ id }) => id === guarded.id);
      if (operation === undefined) throw new Error('the document does not have the planted route');
      const { status } = await outcomeOf('mine');
      const wrong = callers.filter((caller) => !fits(status, expected(operation, caller, document)));
      expect(wrong).toEqual([
        'anonymous',
        'revoked token',
        'session of a foreigner',
        'session of a viewer',
        'session of a member without permissions',
        'token without the permission',
        'token that may only ingest',
        'token of a foreigner',
        'client SDK key',
        'server SDK key',
      ]);
    });

    it('a reference: it stores the name of something foreign', async () => {
      expect(faultsOf(await outcomeOf('theirs'), await outcomeOf('nothing'))).toEqual([
        'answered 201: {"id":"1"}',
        'changed plants of theirs',
        'changed plants of nothing',
      ]);
    });
  });

  it('not a write that is refused and changes nothing', () => {
    const refused = { status: 404, text: 'NAME', changes: [] };
    expect(faultsOf(refused, refused)).toEqual([]);
    expect(faultsOf(refused, { ...refused, text: 'another' })).toEqual(['answered unlike one that names nothing']);
  });
});
