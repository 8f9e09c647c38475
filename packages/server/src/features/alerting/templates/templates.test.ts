import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderTemplate, type TemplateData, templateIssue } from './templates.ts';

const data: TemplateData = {
  labels: { 'service.name': 'cart', team: 'shop', long: 'x'.repeat(1_024) },
  value: 0.51234,
  rule: { id: '1', name: 'Checkout fails', runbook_url: null },
  annotations: { summary: 'cart fails' },
  status: 'firing',
  starts_at: '2026-11-22T09:30:00.000Z',
};

describe('a template', () => {
  it.each([
    ['no placeholder', 'no placeholder'],
    ['{{ labels["service.name"] }} fails', 'cart fails'],
    ['{{ labels.team | upcase }} {{ value | times: 100 | round: 1 }} %', 'SHOP 51.2 %'],
    [
      '{{ rule.name }} is {{ status }} since {{ starts_at }}',
      'Checkout fails is firing since 2026-11-22T09:30:00.000Z',
    ],
    ['{% if value > 0.5 %}bad{% else %}fine{% endif %}', 'bad'],
    ['{% for label in labels %}{{ label[0] }} {% endfor %}', 'service.name team long '],
    ['{{ labels.nothing | default: "none" }}', 'none'],
    ['{{ annotations.summary }}', 'cart fails'],
    ['a } b { c', 'a } b { c'],
  ])('%j renders as %j', (text, rendered) => {
    expect(renderTemplate(text, data)).toEqual({ text: rendered });
    expect(templateIssue(text)).toBe(undefined);
  });

  it('reaches nothing but its data', () => {
    for (const text of [
      '{{ labels.constructor }}',
      '{{ labels.__proto__ }}',
      '{{ labels["service.name"].constructor.constructor }}',
      '{{ value.toString }}',
      '{{ labels.hasOwnProperty }}',
      '{{ process }}{{ globalThis }}{{ require }}{{ this }}',
      '{{ process.env.FANION_SECRET_KEY }}',
    ])
      expect(renderTemplate(text, data), text).toEqual({ text: '' });
  });

  it.each([
    ...[
      'env',
      'process',
      'config',
      'secrets',
      'headers',
      'request',
      'token',
      'channel',
      'channels',
      'workspace',
      'user',
    ],
    ...['FANION_SECRET_KEY', 'DATABASE_URL', 'globalThis', 'module', 'settings', 'options', 'context', 'self'],
  ])('knows no name %s: nothing is rendered, and its author hears of it', (name) => {
    for (const text of [`{{ ${name} }}`, `{{ ${name}.url }}`, `{{ ${name}["authorization"] }}`]) {
      expect(renderTemplate(text, data), text).toEqual({ text: '' });
      expect(templateIssue(text), text).toBe(
        `unknown name ${name}: use labels, value, rule, annotations, status, starts_at, such as {{ labels["service.name"] }}`,
      );
    }
  });

  it('cannot change what another template sees', () => {
    expect(renderTemplate('{% assign labels = "x" %}{% assign leaked = rule.id %}{{ labels }}', data).text).toBe('x');
    expect(renderTemplate('{{ labels.team }}{{ leaked }}', data)).toEqual({ text: 'shop' });
    expect(data.labels.team).toBe('shop');
  });

  it.each([
    ['{{ labels.team', /not closed/],
    ['{% if value %}', /not closed/],
    ['{{ $value }}', /.+/],
    ['{{ value | shell }}', /undefined filter: shell/],
    ['{% include "/etc/passwd" %}', /tag "include" not found/],
    ['{% render "/etc/passwd" %}', /tag "render" not found/],
    ['{% layout "x" %}', /tag "layout" not found/],
    ['{{ starts_at | date: "%1000000000Y" }}', /undefined filter: date/],
    ['{{ labels.long | strip_html }}', /undefined filter: strip_html/],
  ])('that is broken gives its own text and the reason: %j', (text, reason) => {
    const rendered = renderTemplate(text, data);
    expect(rendered.error).toMatch(reason);
    expect(rendered.text).toBe(`${text} (template error: ${rendered.error})`);
    expect(templateIssue(text)).toBe(rendered.error);
  });

  it('that names what does not exist is reported when it is written', () => {
    expect(templateIssue('{{ lables.team }}')).toMatch(/^unknown name lables: use labels, value, rule/);
    expect(templateIssue('{% assign x = value %}{{ x }}{% for l in labels %}{{ l[0] }}{% endfor %}')).toBe(undefined);
  });

  const doubled = '{% assign x = x | append: x %}';
  it.each([
    ['a long range', '{% for i in (1..1000000000) %}x{% endfor %}'],
    ['nested loops', `${'{% for i in (1..1000) %}'.repeat(5)}{{ labels.long }}${'{% endfor %}'.repeat(5)}`],
    ['nested loops without content', `${'{% for i in (1..1000) %}'.repeat(8)}${'{% endfor %}'.repeat(8)}`],
    ['a text that doubles', `{% assign x = labels.long %}${doubled.repeat(60)}{{ x }}`],
    [
      'replacements that multiply',
      `{% assign x = labels.long %}${'{% assign x = x | replace: "x", labels.long %}'.repeat(5)}{{ x }}`,
    ],
    ['a long output', '{% for i in (1..10000) %}{{ labels.long }}{% endfor %}'],
    ['a joined list', '{% assign x = labels.long | split: "" %}{{ x | join: labels.long }}'],
    ['a captured text', `{% capture x %}{{ labels.long }}{% endcapture %}`],
    ['a text that is too long to be parsed', '{{ value }}'.repeat(1_000)],
  ])('with %s ends with an error', (_what, text) => {
    const rendered = renderTemplate(text, data);
    expect(rendered.error).toBeDefined();
    expect(rendered.text.length).toBeLessThanOrEqual(65_536);
  });

  it('never throws, and leaves the engine usable', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '{{',
        '}}',
        '{%',
        '%}',
        '|',
        ' for i in labels ',
        ' endfor ',
        ' if ',
        ' assign x = ',
        'labels',
        '.',
        '[',
        ']',
        '"',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        expect(typeof renderTemplate(parts.join(''), data).text).toBe('string');
        templateIssue(parts.join(''));
      }),
      { numRuns: 300 },
    );
    expect(renderTemplate('{{ labels.team }}', data)).toEqual({ text: 'shop' });
  });
});
