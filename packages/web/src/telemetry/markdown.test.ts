import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSafeUrl, parseInline, parseMarkdown } from './markdown.ts';

const text = (content: string) => ({ kind: 'text', text: content });

describe('Markdown of notes', () => {
  it('has headings, paragraphs, lists, tables, code, quotes and rules', () => {
    const written =
      '# Title\n\nOne\ntwo\n\n- a\n- b\n\n1. c\n\n| h | i |\n| --- | --- |\n| 1 | 2 |\n\n```\nx < y\n```\n> said\n\n---';
    expect(parseMarkdown(written)).toEqual([
      { kind: 'heading', level: 1, parts: [text('Title')] },
      { kind: 'paragraph', parts: [text('One two')] },
      { kind: 'list', ordered: false, items: [[text('a')], [text('b')]] },
      { kind: 'list', ordered: true, items: [[text('c')]] },
      { kind: 'table', head: [[text('h')], [text('i')]], rows: [[[text('1')], [text('2')]]] },
      { kind: 'code', text: 'x < y' },
      { kind: 'quote', parts: [text('said')] },
      { kind: 'rule' },
    ]);
  });

  it('has code, bold, emphasis and links', () => {
    expect(parseInline('`a` **b** *c* _d_ [e](/f) g_h_i')).toEqual([
      { kind: 'code', text: 'a' },
      text(' '),
      { kind: 'strong', text: 'b' },
      text(' '),
      { kind: 'emphasis', text: 'c' },
      text(' '),
      { kind: 'emphasis', text: 'd' },
      text(' '),
      { kind: 'link', text: 'e', url: '/f' },
      text(' g_h_i'),
    ]);
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](//evil.example)',
    '[x](data:text/html,x)',
  ])('keeps %s as text', (hostile) => {
    expect(parseMarkdown(hostile).flatMap((block) => ('parts' in block ? block.parts : []))).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'text' })]),
    );
    expect(JSON.stringify(parseMarkdown(hostile))).not.toContain('"link"');
  });

  it('ends on every text, and never makes a link that is not safe', () => {
    const part = fc.constantFrom(
      '#',
      '`',
      '*',
      '_',
      '[',
      ']',
      '(',
      ')',
      '|',
      '-',
      '>',
      '\n',
      ' ',
      'a',
      'javascript:',
      '/',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const links = JSON.stringify(parseMarkdown(parts.join(''))).matchAll(/"url":"([^"]*)"/g);
        for (const [, url = ''] of links) expect(isSafeUrl(url)).toBe(true);
      }),
    );
  });
});
