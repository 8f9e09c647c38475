import type { DashboardVariable } from '@fanion/contract';
import { optionsQuery, variablesInPromql } from '../promql-rules.ts';
import { type Fields, fieldsOf, textOf } from './classic-rules.ts';
import { patternQuery } from './pattern-rules.ts';
import { problemOfPromql } from './targets-rules.ts';
import { oneLine } from './text-rules.ts';

const longestQuery = 65_536;
const tooLong = `its query is longer than ${longestQuery} characters`;

/** A variable of a dashboard, or why it is lost. */
export interface ConvertedVariable {
  readonly variable?: DashboardVariable;
  readonly losses: string[];
}

const variableName = /^(?!__)[A-Za-z_]\w{0,63}$/;

export function variableOf(given: Fields): ConvertedVariable {
  const name = textOf(given.name);
  if (!variableName.test(name)) return { losses: ['its name has other characters than letters, digits and _'] };
  if (textOf(given.query).length > longestQuery) return { losses: [tooLong] };
  const current = fieldsOf(given.current).value;
  const chosen = (Array.isArray(current) ? current.slice(0, 1_000) : [current]).filter(
    (value): value is string => typeof value === 'string' && value !== '' && value.length <= 4_096,
  );
  const multi = given.multi === true;
  const label = oneLine(textOf(given.label));
  const facts = {
    name,
    ...(label !== '' && { label }),
    ...(multi && { multi }),
    ...(given.includeAll === true && { include_all: true }),
    ...(chosen[0] !== undefined && { default: multi && chosen.length > 1 ? chosen.slice(0, 100) : chosen[0] }),
    ...((given.hide === 2 || given.hide === 'hideVariable') && { hidden: true }),
  };
  const { multi: _, include_all: __, ...single } = facts;
  switch (textOf(given.type)) {
    case 'query':
      return queryVariable(given, facts);
    case 'custom': {
      const values = textOf(given.query)
        .split(',')
        .map((text) => text.replace(/^.*? : /, '').trim())
        .filter((text) => text !== '');
      return values.length === 0
        ? { losses: ['it has no values'] }
        : { variable: { ...facts, type: 'list', values: values.slice(0, 1_000) }, losses: [] };
    }
    case 'interval': {
      const values = textOf(given.query)
        .split(',')
        .map((text) => text.trim())
        .filter((text) => /^[1-9]\d{0,5}[smhdw]$/.test(text));
      if (values.length === 0) return { losses: ['it has no intervals'] };
      const otherwise = chosen.find((value) => values.includes(value)) ?? values[0] ?? '1m';
      return { variable: { ...single, type: 'interval', values, default: otherwise }, losses: [] };
    }
    case 'constant':
    case 'textbox': {
      const text = textOf(given.query) || chosen[0];
      const { default: ___, ...rest } = single;
      return {
        variable: { ...rest, type: 'text', ...(text !== undefined && text !== '' && { default: text }) },
        losses: [],
      };
    }
    case 'datasource':
      return { losses: ['all metrics are in one place, so that there is no data source to choose'] };
    default:
      return { losses: [`there is no variable of the type ${textOf(given.type)}`] };
  }
}

/** `label_values(metric{…}, label)` lists the values of a label, and stays as it is; other queries have no equal. */
function queryVariable(given: Fields, facts: Omit<DashboardVariable, 'type'>): ConvertedVariable {
  const { query } = given;
  const spec = fieldsOf(fieldsOf(query).spec);
  const text = textOf(query) || textOf(fieldsOf(query).query) || textOf(spec.query) || textOf(given.definition);
  if (text.length > longestQuery) return { losses: [tooLong] };
  const [, inner = ''] = /^label_values\((.*)\)$/s.exec(text.trim()) ?? [];
  const label = inner.slice(inner.lastIndexOf(',') + 1).trim();
  if (!/^[A-Za-z_]\w*$/.test(label)) return { losses: [`its query has no equal: ${text.slice(0, 200)}`] };
  const expression = optionsQuery(text);
  const problem = problemOfPromql(expression, new Set(variablesInPromql(expression)));
  if (problem !== undefined) return { losses: [`its query has no equal: ${problem}`] };
  const pattern = textOf(given.regex).trim();
  const kept = pattern === '' ? text.trim() : patternQuery(text, pattern);
  const losses = kept === undefined ? ['its pattern that filters values'] : [];
  return { variable: { ...facts, type: 'query', query: kept ?? text.trim(), query_language: 'promql' }, losses };
}
