import { allRoutes, openApi } from '@fanion/contract';
import { describe, expect, it } from 'vitest';
import { buildApiDocument } from './api-document.ts';

describe('buildApiDocument', () => {
  it('returns the document of the contract with the URL of the server', () => {
    const serverUrl = 'https://fanion.example.com/"quoted"';
    const document = buildApiDocument(allRoutes, '1.2.3')(serverUrl);
    expect(document).toBe(JSON.stringify(openApi(allRoutes, { version: '1.2.3', serverUrl })));
  });

  // The first request for the document used to stall all others for 270 ms (loaded machine).
  it('describes the routes before the first request', () => {
    const routes = [...allRoutes];
    const documentFor = buildApiDocument(routes, '1.2.3');
    routes.length = 0;
    const first = JSON.parse(documentFor('http://first'));
    expect(Object.keys(first.paths)).toContain('/api/v1/openapi.json');
  });
});
