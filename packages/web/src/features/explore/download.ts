import { ApiError, type Envelope, type QueryLanguage, routePath, runQuery } from '@fanion/contract';

/** Rows of a file: the server's default limit for streamed results. */
export const fileRows = 100_000;
export const fileForms = {
  csv: { label: 'CSV', media: 'text/csv', file: 'fanion-query.csv' },
  ndjson: { label: 'NDJSON', media: 'application/x-ndjson', file: 'fanion-query.ndjson' },
} as const;
export type FileForm = keyof typeof fileForms;

export interface FileRequest {
  readonly ws: string;
  readonly query: string;
  readonly query_language: QueryLanguage;
  readonly project: string;
  readonly environment: string | undefined;
  readonly from: string;
  readonly to: string;
}

/** Runs a query and returns its rows as a file. Throws `ApiError`, also if the response ends early. */
export async function fetchFile({ ws, ...request }: FileRequest, form: FileForm): Promise<Blob> {
  const response = await fetch(routePath(runQuery, { ws }), {
    method: 'POST',
    headers: { accept: fileForms[form].media, 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, limit: fileRows }),
  });
  if (response.ok) return response.blob();
  const envelope = (await response.json()) as Envelope<never>;
  throw new ApiError(
    envelope.error ?? { code: 'NET-0000', message: 'The server did not give a reason.', status: response.status },
  );
}

/** Counts the rows of a file. A line break within quotes is part of a value. */
export function rowsOf(text: string, form: FileForm): number {
  let lines = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34 && form === 'csv') isQuoted = !isQuoted;
    else if (code === 10 && !isQuoted) lines++;
  }
  return form === 'csv' ? Math.max(0, lines - 1) : lines;
}
