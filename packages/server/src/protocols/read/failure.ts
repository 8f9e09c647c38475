import type { Failure } from '../../platform/fail.ts';

/** Prometheus' own types of errors, which are Loki's too; those of what it has no type for are words of HTTP. */
export function errorTypeOf({ error, status }: Failure): string {
  if (error === 'QUERY_TOO_EXPENSIVE') return 'timeout';
  switch (status) {
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    case 422:
      return 'execution';
    case 429:
    case 503:
      return 'unavailable';
    case 499:
      return 'canceled';
    default:
      return status < 500 ? 'bad_data' : 'internal';
  }
}
