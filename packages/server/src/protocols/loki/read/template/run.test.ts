import { describe, expect, it } from 'vitest';
import type { Line } from '../line-rules.ts';
import { compileTemplate } from './run.ts';
import { TemplateError } from './value.ts';

const line = (labels: Record<string, string>, text = 'a line'): Line => ({
  ...{ timeNs: 1_679_577_215_123_456_789n, text, stream: new Map(), metadata: new Map() },
  parsed: new Map(Object.entries(labels)),
});
const written = (template: string, labels: Record<string, string> = {}) => compileTemplate(template)(line(labels));

/** The examples of Loki's documentation, with what it says of them. */
describe('a template', () => {
  it.each([
    ['{{ .path | replace " " "_" | trunc 5 | upper }}', 'A_PAT'],
    ['{{ if and (contains "he" "hello") (contains "llo" "hello") }} yes {{end}}', ' yes '],
    ['{{ if contains "ErrTimeout" .err }}timeout{{else if contains "he" "hello"}}yes{{else}}no{{end}}', 'yes'],
    ['{{ if contains "x" .err }}a{{else if eq .err "y"}}b{{else}}no{{end}}', 'no'],
    ['{{ __line__ | upper }}', 'A LINE'],
    ['{{ __timestamp__ | unixEpoch }}', '1679577215'],
    ['{{ __timestamp__ | date "2006-01-02T15:04:05.00Z-07:00" }}', '2023-03-23T13:13:35.12Z+00:00'],
    ['{{ __timestamp__ }}', '2023-03-23 13:13:35.123456789 +0000 UTC'],
    ['{{ date "2006-01-02" (unixToTime "1679577215") }}', '2023-03-23'],
    ['{{ toDate "2006-01-02" "2021-11-02" | unixEpoch }}', '1635811200'],
    ['{{ toDateInZone "2006-01-02" "America/New_York" "2021-11-02" | unixEpochMillis }}', '1635825600000'],
    [
      '{{ "2021-11-02T10:00:00.5Z" | toDateInZone "2006-01-02T15:04:05.999999999Z" "UTC" | unixEpochNanos }}',
      '1635847200500000000',
    ],
    [
      '{{ toDateInZone "2006-01-02 15:04 -0700" "UTC" "2021-11-02 10:00 +0100" | date "Mon Jan _2 3:04PM" }}',
      'Tue Nov  2 10:00AM',
    ],
    ['{{ alignLeft 5 "hello world" }}|{{ alignLeft 5 "hi" }}', 'hello|hi   '],
    ['{{ alignRight 5 "hello world" }}|{{ alignRight 5 "hi" }}', 'world|   hi'],
    ['{{ "foo" | b64enc }} {{ b64dec "Zm9v" }}', 'Zm9v foo'],
    ['{{ "2 KB" | bytes }} {{ "1h30m" | duration }} {{ duration_seconds "250ms" }}', '2000 5400 0.25'],
    ['{{ default "-" "" }} {{ default "-" "foo" }} {{ .missing | default "-" }}', '- foo -'],
    ['{{ range $q := fromJson .queries }}{{ $q.query }};{{ end }}', 'a;b;'],
    ['{{ fromJson "{\\"foo\\": 55}" }}', 'map[foo:55]'],
    ['{{ indent 2 "a\\nb" }}{{ nindent 1 "c" }}', '  a\n  b\n c'],
    ['{{ repeat 3 "hello" }}', 'hellohellohello'],
    ['{{ printf "The IP address was %s" .ip }}', 'The IP address was 129.168.1.1'],
    ['{{ printf "%-10.10s|%5.5s|%05d|%.2f" .path .err 42 (float64 "1.5") }}', 'a path to |     |00042|1.50'],
    ['{{ replace "hello" "world" "hello world" }}', 'world world'],
    ['{{ substr 0 5 "hello world" }} {{ substr 6 11 "hello world" }} {{ substr -1 2 "hello" }}', 'hello world he'],
    ['{{ title "hello world" }} {{ lower "HELLO" }} {{ trim "   hello    " }}', 'Hello World hello hello'],
    ['{{ trimAll "$" "$5.00" }} {{ trimPrefix "-" "-hello" }} {{ trimSuffix "-" "hello-" }}', '5.00 hello hello'],
    ['{{ trunc 5 "hello world" }} {{ trunc -5 "hello world" }}', 'hello world'],
    ['{{ urlencode "a b&c=1" }} {{ urldecode "a+b%26c" }}', 'a+b%26c%3D1 a b&c'],
    ['{{ hasSuffix "Timeout" "ErrTimeout" }} {{ hasPrefix "he" "hello" }} {{ eq "a" "b" }}', 'true true false'],
    ['{{ add 3 2 5 }} {{ addf 3.5 2 5 }} {{ ceil 123.001 }} {{ floor 123.9999 }}', '10 10.5 124 123'],
    ['{{ div 10 2 }} {{ divf 10 2 4 }} {{ "3.5" | float64 }} {{ "3" | int }}', '5 1.25 3.5 3'],
    ['{{ max 1 2 3 }} {{ maxf 1 2.5 3 }} {{ min 1 2 3 }} {{ minf 1 2 1.5 }}', '3 3 1 1'],
    ['{{ mod 10 3 }} {{ mulf 5.5 2 2.5 }} {{ mul 5 2 3 }} {{ sub 5 2 }} {{ subf 5.5 1.5 }}', '1 27.5 30 3 4'],
    ['{{ round 123.555555 3 }}', '123.556'],
    [
      '{{ regexReplaceAll "(a*)bc" "aabcab" "$1-" }} {{ regexReplaceAllLiteral "(ts=)(.*)" "ts=1" "timestamp=$1" }}',
      'aa-ab timestamp=$1',
    ],
    ['{{ "aXbXc" | count "X" }} {{ count "^" "" }}', '2 1'],
    ['{{ ToUpper "a" }}{{ Replace "This is a string" " " "-" -1 }}{{ TrimLeft "!!x!" "!" }}', 'AThis-is-a-stringx!'],
    ['{{- /* nothing */ -}} a {{- " b" }} {{ with .err }}x{{ else }}empty{{ end }}', 'a b empty'],
    ['{{ $n := int .n }}{{ if gt $n 4 }}big{{ else }}small{{ end }} {{ not true }} {{ len .path }}', 'big false 9'],
  ])('%s', (template, expected) => {
    const queries = '[{"query":"a"},{"query":"b"}]';
    const labels = { path: 'a path to', err: '', ip: '129.168.1.1', n: '5', queries };
    expect(written(template, labels)).toBe(expected);
  });

  it.each([
    '{{',
    '{{ if .a }}',
    '{{ end }}',
    '{{ other .a }}',
    // Names of JavaScript's objects.
    '{{ toString }}',
    '{{ constructor }}',
    '{{ .a | }}',
    '{{ (.a }}',
    '{{ "a }}',
    `${'{{if .a}}'.repeat(200)}`,
  ])('is rejected: %s', (template) => {
    expect(() => compileTemplate(template)).toThrow('invalid template');
  });

  it.each([
    '{{ div 1 0 }}',
    '{{ .a | duration }}',
    '{{ repeat 10000000 "x" }}',
    '{{ range fromJson .list }}{{ range fromJson $.list }}{{ range fromJson $.list }}x{{ end }}{{ end }}{{ end }}',
    '{{ unixEpoch .a }}',
    '{{ regexReplaceAll "(" .a "" }}',
    '{{ trunc .a "x" }}',
    '{{ .a.b }}',
  ])('fails for a line without ending the query: %s', (template) => {
    const compiled = compileTemplate(template);
    const list = JSON.stringify(Array.from({ length: 100 }, (_, n) => n));
    expect(() => compiled(line({ a: 'x', list }))).toThrow(TemplateError);
  });
});
