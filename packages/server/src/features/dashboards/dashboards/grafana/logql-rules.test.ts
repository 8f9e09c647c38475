import { validate } from '@fanion/oql';
import { describe, expect, it } from 'vitest';
import { translatedLogs } from './logql-rules.ts';

const translated = (expression: string, maxLines?: number) =>
  translatedLogs(expression, { variables: new Set(['ns', 'search']), maxLines });

describe('the translation of LogQL', () => {
  it.each<[string, string, string, string[]]>([
    ['a label that Loki makes of a resource', '{service_name="shop"}', 'service.name == "shop"', []],
    [
      'another label as an attribute, and says so',
      '{job!="a"}',
      '`job` != "a"',
      ['the label job is read from the attribute job'],
    ],
    ['patterns that match missing labels', '{k8s_pod_name=~"a|"}', 'coalesce(k8s.pod.name, "") =~ "^(?:a|)$"', []],
    [
      'labels that must be missing, or there',
      '{k8s_pod_name="", k8s_job_name=~".+"}',
      'coalesce(k8s.pod.name, "") == "" and coalesce(k8s.job.name, "") != ""',
      [],
    ],
    [
      'filters with the case of letters',
      '{service_name="a"} |= "1.5 s" != `b` |~ "x\\\\d" !~ "y"',
      String.raw`service.name == "a" and body =~ "1\\.5 s" and body !~ "b" and body =~ "x\\d" and body !~ "y"`,
      [],
    ],
    [
      'variables of several values',
      `{k8s_namespace_name=~"^($ns)$", service_name!~"\${${'ns:pipe'}}"}`,
      'k8s.namespace.name == $ns and service.name != $ns',
      [],
    ],
    [
      'a search for a variable, and says what differs',
      '{service_name="a"} |= "$search" |~ "(?i)$search"',
      `service.name == "a" and body contains $search and body =~ "(?i)\${${'search'}}"`,
      ['the filter for $search ignores upper and lower case'],
    ],
    [
      'stages that choose no lines',
      '{service_name="a"} | json | line_format "{{.a}} | {{.b}}"',
      'service.name == "a"',
      ['its stage json', 'its stage line_format'],
    ],
  ])('keeps %s', (_, expression, conditions, losses) => {
    const result = translated(expression, 100);
    expect(result).toEqual({ query: `logs | where ${conditions} | sort -time | limit 100`, losses });
    expect('query' in result && validate(result.query).valid).toBe(true);
  });

  it.each([
    ['a query for numbers', 'sum(rate({a="b"}[5m]))', 'only queries for log lines'],
    ['a filter of parsed labels', '{a="b"} | json | level="error"', '| level="error"'],
    ['a filter after a stage that changes lines', '{a="b"} | line_format "x" |= "y"', 'after it changed them'],
    ['alternatives of a filter', '{a="b"} |= "x" or "y"', '|= "x" or "y"'],
    ['a variable within a filter', '{a="b"} |= "x $search"', '|= "x $search"'],
    ['an unknown variable', '{a="$other"}', '$other, which is no variable'],
    ['no selector', '{}', 'selector of streams'],
    ['a text without an end', '{a="b', 'selector of streams'],
    ['a stage without an end', '{a="b"} | json "x', 'no equal'],
    ['a very long query', `{a="${'b'.repeat(9_000)}"}`, 'longer than 8192'],
  ])('refuses %s', (_, expression, problem) => {
    expect(translated(expression)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it.each([
    [undefined, 1_000],
    [0, 1],
    [12.5, 12],
    [1e9, 1_000],
  ])('shows as many lines as the panel, at most 1000: %s', (given, shown) => {
    expect(translated('{a="b"}', given)).toHaveProperty(
      'query',
      `logs | where \`a\` == "b" | sort -time | limit ${shown}`,
    );
  });
});
