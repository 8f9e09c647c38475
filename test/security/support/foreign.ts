/** A refusal (403) in the form of the product whose clients call a route. @param message a text, or a matcher */
export function foreignRefusal(path: string, message: unknown): unknown {
  if (path.startsWith('/tempo/')) return message;
  if (path.startsWith('/loki/')) return { status: 'error', errorType: 'forbidden', error: message, message };
  if (path.startsWith('/jaeger/api/v3/')) return { error: { httpCode: 403, message } };
  if (path.startsWith('/jaeger/'))
    return { data: null, total: 0, limit: 0, offset: 0, errors: [{ code: 403, msg: message }] };
  return { status: 'error', errorType: 'forbidden', error: message };
}
