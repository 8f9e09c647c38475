/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  readonly type: string;
  readonly data: string;
}

export interface EventParser {
  /** Takes the next piece of the stream, split anywhere; returns the completed events. */
  push(text: string): ServerSentEvent[];
  /** The reconnection time that the server requested, in milliseconds. */
  readonly retryMs: number | undefined;
}

/**
 * Parses `text/event-stream` by the HTML standard ("Server-sent events", parsing an event stream): lines end in LF, CR
 * or CRLF; comments, unknown fields and events without data are skipped. Event ids are ignored, since the ruleset's
 * version is the same.
 *
 * @param maxLength of one event in UTF-16 code units
 * @throws RangeError from `push`, for an event longer than that
 */
export function createEventParser(maxLength: number): EventParser {
  let buffer = '';
  /** The buffer contains no line end up to here. */
  let scanned = 0;
  let started = false;
  let type = '';
  let data: string[] = [];
  let length = 0;
  let retryMs: number | undefined;

  function field(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'event') type = value;
    else if (name === 'data') {
      data.push(value);
      length += value.length + 1;
    } else if (name === 'retry' && /^[0-9]{1,9}$/.test(value)) retryMs = Number(value);
  }

  function dispatch(): ServerSentEvent | undefined {
    const event = data.length === 0 ? undefined : { type: type === '' ? 'message' : type, data: data.join('\n') };
    type = '';
    data = [];
    length = 0;
    return event;
  }

  return {
    get retryMs() {
      return retryMs;
    },
    push(text) {
      const events: ServerSentEvent[] = [];
      buffer += !started && text.startsWith('\uFEFF') ? text.slice(1) : text;
      started ||= text !== '';
      let from = 0;
      for (;;) {
        const end = lineEnd(buffer, Math.max(from, scanned));
        // A CR at the end may be half of a CRLF; the next piece decides.
        if (end === -1 || (buffer[end] === '\r' && end === buffer.length - 1)) {
          scanned = end === -1 ? buffer.length : end;
          break;
        }
        const line = buffer.slice(from, end);
        from = end + (buffer[end] === '\r' && buffer[end + 1] === '\n' ? 2 : 1);
        if (line !== '') field(line);
        else {
          const event = dispatch();
          if (event !== undefined) events.push(event);
        }
      }
      buffer = buffer.slice(from);
      scanned = Math.max(0, scanned - from);
      if (buffer.length + length > maxLength) throw new RangeError('an event of the stream is too long');
      return events;
    },
  };
}

function lineEnd(text: string, from: number): number {
  const lf = text.indexOf('\n', from);
  const cr = text.slice(from, lf === -1 ? undefined : lf).indexOf('\r');
  return cr === -1 ? lf : from + cr;
}
