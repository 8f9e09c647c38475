import { type DestinationStream, pino } from 'pino';

/** A line as pino writes it, without its secrets. */
export interface LogLine {
  readonly level: number;
  readonly time?: string;
  readonly msg?: string;
  /** The id of the request that the line is about. */
  readonly reqId?: string;
  readonly [field: string]: unknown;
}

/** The destination of a log that others can follow. */
export interface LogLines extends DestinationStream {
  /** Calls back with each line of at least this level, by pino's numbers. Returns the function that ends it. */
  follow(level: number, take: (line: LogLine) => void): () => void;
}

/** @param to where the lines go as well; standard output by default */
export function createLogLines(to: DestinationStream = pino.destination(1)): LogLines {
  const followers = new Set<{ readonly level: number; readonly take: (line: LogLine) => void }>();
  return {
    write(text) {
      to.write(text);
      const level = levelOf(text);
      for (const one of followers) if (level >= one.level) one.take(JSON.parse(text) as LogLine);
    },
    follow(level, take) {
      const follower = { level, take };
      followers.add(follower);
      return () => followers.delete(follower);
    },
  };
}

/** Each line begins with its level, so that lines which nobody follows need not be parsed. */
function levelOf(text: string): number {
  return Number(/^\{"level":(\d+)/.exec(text)?.[1] ?? 0);
}
