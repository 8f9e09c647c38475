import type { EgressAnswer } from '../../../../platform/egress/index.ts';

/** Paths of pages on grafana.com about a dashboard: `/grafana/dashboards/1860-node-exporter-full/`, also without `/grafana`. */
const grafanaPage = /^(?:\/grafana)?\/dashboards\/(\d{1,9})(?:-[^/]*)?(?:\/revisions)?\/?$/;

/** Where the JSON of a dashboard is. Of a page on grafana.com, that is the download of the latest revision; other addresses stay. */
export function downloadUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const { protocol, host, pathname } = new URL(text);
  const isGrafana = /^https?:$/.test(protocol) && /^(www\.)?grafana\.com$/.test(host);
  const id = isGrafana ? grafanaPage.exec(pathname)?.[1] : undefined;
  return id === undefined ? text : `https://grafana.com/api/dashboards/${id}/revisions/latest/download`;
}

/** Why an answer contains no JSON, or not all of it; undefined: it may be read. */
export function problemOf({ status, headers, end, body }: EgressAnswer, url: string, maxBytes: number) {
  if (status >= 300 && status < 400) return redirected(headers.location, url);
  if (status !== 200) return `the server answered HTTP ${status}`;
  if (end === 'too large')
    return `the document is larger than ${maxBytes} bytes (FANION_DASHBOARD_IMPORT_BYTES sets the limit)`;
  if (end === 'too slow')
    return 'the document took too long to arrive (FANION_EGRESS_TIMEOUT_MS sets the limit): download it, and import the file';
  if (end === 'broken') return 'the connection broke off before the whole document had arrived; try again';
  const start = body.toString('utf8', 0, 100).trimStart();
  if (/^text\/html\b/i.test(headers['content-type'] ?? '') || start.startsWith('<'))
    return 'the address returned a web page (HTML) instead of JSON: enter the address of the JSON file itself';
  if (body.length === 0) return 'the answer is empty';
  return undefined;
}

function redirected(location: string | undefined, url: string): string {
  const target = location !== undefined && URL.canParse(location, url) ? ` to ${new URL(location, url).href}` : '';
  return `the address redirects${target.slice(0, 500)}, and redirects are not followed: enter the final address`;
}
