import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Clause, Id, Rollout } from '../index.ts';
import { ExampleMaker } from './examples.ts';
import { describeSchemas } from './schemas.ts';

describe('describeSchemas', () => {
  it('makes one component of a schema that is sent and answered alike, and two of one that is not', () => {
    const schema = z.strictObject({ rollout: Rollout, clause: Clause });
    const { input, output, components } = describeSchemas({}, { Asked: schema }, { Told: schema });
    expect(input.Asked).toEqual({ $ref: '#/components/schemas/Asked' });
    expect(components.Asked).toMatchObject({
      properties: {
        rollout: { $ref: '#/components/schemas/Rollout' },
        clause: { $ref: '#/components/schemas/ClauseInput' },
      },
    });
    expect(output.Told).toEqual({ $ref: '#/components/schemas/Told' });
    expect(components.Told).toMatchObject({ properties: { clause: { $ref: '#/components/schemas/Clause' } } });
    expect(components.ClauseInput?.required).toEqual(['op']);
    expect(components.Clause?.required).toEqual(['op', 'values', 'negate']);
  });
  it('gives what contains such a schema two forms too', () => {
    const inner = z.object({ clause: Clause });
    const { components } = describeSchemas({}, { Inner: inner }, { Inner: inner });
    expect(Object.keys(components)).toEqual(['Clause', 'ClauseInput', 'Inner', 'InnerInput']);
    expect(components.InnerInput).toMatchObject({
      properties: { clause: { $ref: '#/components/schemas/ClauseInput' } },
    });
  });
  it('leaves the schema of a query as it is', () => {
    const { input, components } = describeSchemas({ query: z.object({ id: Id, limit: z.number().int() }) }, {}, {});
    expect(input.query).toMatchObject({
      properties: { id: { $ref: '#/components/schemas/Id' }, limit: { type: 'integer' } },
    });
    expect(Object.keys(components)).toEqual(['Id']);
  });
  it('describes a schema that contains itself, under its name', () => {
    const Node: z.ZodType = z.object({
      name: z.string(),
      get children() {
        return z.array(Node);
      },
    });
    const { output, components } = describeSchemas({}, {}, { Tree: z.array(Node) }, new Map([[Node, 'Node']]));
    expect(output.Tree).toMatchObject({ items: { $ref: '#/components/schemas/Node' } });
    expect(components.Node).toMatchObject({
      properties: { children: { items: { $ref: '#/components/schemas/Node' } } },
    });
    // Without a name, it would get one that nobody understands.
    expect(() => describeSchemas({}, { Tree: z.object({ root: Node }) }, {})).toThrow(/no name/);
  });
});

describe('ExampleMaker', () => {
  const node = {
    type: 'object',
    required: ['name', 'children'],
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/components/schemas/Node' } } },
  };
  it('ends where a schema contains itself', () => {
    const maker = new ExampleMaker({ Node: node }, new Map());
    expect(maker.exampleOf({ $ref: '#/components/schemas/Node' })).toEqual({ name: 'Checkout', children: [] });
  });
  it('shows what people send to create it, without relative times', () => {
    const resource = {
      type: 'object',
      required: ['name', 'at'],
      properties: {
        name: { type: 'string' },
        at: { type: 'string', pattern: '^\\d', examples: ['2026'] },
        unit: { type: 'string' },
      },
    };
    const maker = new ExampleMaker(
      { Thing: resource },
      new Map([['Thing', { name: 'Mine', at: 'now', unit: 's', other: 1 }]]),
    );
    expect(maker.exampleOf({ $ref: '#/components/schemas/Thing' })).toEqual({ name: 'Mine', at: '2026', unit: 's' });
  });
});
