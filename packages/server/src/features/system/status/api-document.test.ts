import { allRoutes, openApi } from '@fanion/contract';
import { describe, expect, it } from 'vitest';
import { createApiDocument } from './api-document.ts';

interface Document {
  readonly tags: readonly { readonly name: string }[];
}

/** The order of routes is that of the modules, which tests load in another one than the thread. */
function sorted(document: Document) {
  return { ...document, tags: document.tags.toSorted((a, b) => a.name.localeCompare(b.name)) };
}

describe('the API document of a server', () => {
  it('is that of the contract with the URL of the server, for each of several requests at once', async () => {
    const documentFor = createApiDocument('1.2.3');
    const urls = ['https://fanion.example.com/"quoted"', 'http://127.0.0.1:8080'];
    const documents = await Promise.all(urls.map(documentFor));
    for (const [at, serverUrl] of urls.entries()) {
      const expected = openApi(allRoutes, { version: '1.2.3', serverUrl }) as object as Document;
      expect(sorted(JSON.parse(documents[at] ?? ''))).toEqual(sorted(expected));
    }
  });
});
