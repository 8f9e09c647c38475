/** How alert rules and SLOs compare a value with a threshold. */
export type Operator = '<' | '<=' | '>' | '>=' | '==' | '!=';

/** Whether a value meets a condition, as the server compares. */
export function meets(value: number, op: Operator, threshold: number): boolean {
  switch (op) {
    case '<':
      return value < threshold;
    case '<=':
      return value <= threshold;
    case '>':
      return value > threshold;
    case '>=':
      return value >= threshold;
    case '==':
      return value === threshold;
    case '!=':
      return value !== threshold;
  }
}
