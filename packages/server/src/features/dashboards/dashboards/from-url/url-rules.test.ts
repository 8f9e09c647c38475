import { expect, it } from 'vitest';
import { downloadUrl } from './url-rules.ts';

const latest = 'https://grafana.com/api/dashboards/1860/revisions/latest/download';

it.each([
  ['https://grafana.com/grafana/dashboards/1860-node-exporter-full/', latest],
  ['https://grafana.com/grafana/dashboards/1860-node-exporter-full', latest],
  ['https://grafana.com/grafana/dashboards/1860', latest],
  ['https://grafana.com/grafana/dashboards/1860-node-exporter-full/?tab=revisions#top', latest],
  ['https://grafana.com/grafana/dashboards/1860-node-exporter-full/revisions/', latest],
  ['https://www.grafana.com/dashboards/1860', latest],
  ['http://grafana.com/dashboards/1860', latest],
])('reads the dashboard of the page %s from %s', (page, download) => {
  expect(downloadUrl(page)).toBe(download);
});

it.each([
  'https://grafana.com/api/dashboards/1860/revisions/37/download',
  'https://grafana.com/grafana/dashboards/',
  'https://grafana.com/grafana/dashboards/node-exporter',
  'https://grafana.com/blog/dashboards/1860',
  'https://grafana.com:8443/grafana/dashboards/1860',
  'https://grafana.com.example.org/grafana/dashboards/1860',
  'https://user@example.org/grafana.com/grafana/dashboards/1860',
  'https://raw.githubusercontent.com/o/r/main/dashboard.json',
  'ftp://grafana.com/grafana/dashboards/1860',
  'grafana.com/grafana/dashboards/1860',
])('leaves the address %s as it is', (url) => {
  expect(downloadUrl(url)).toBe(url);
});
