import { type DestinationStream, pino } from 'pino';

export type Log = import('pino').Logger;

const secretPaths = [
  'authorization',
  'cookie',
  'password',
  'new_password',
  'current_password',
  'token',
  'secret',
  'key',
  '["set-cookie"]',
  '["x-api-key"]',
];

/** JSON lines with pino. Secrets in logged objects are removed by name at two depths. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: undefined,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: {
      paths: [
        ...secretPaths,
        ...secretPaths.map((path) => (path.startsWith('[') ? `*${path}` : `*.${path}`)),
        ...secretPaths.map((path) => (path.startsWith('[') ? `*.*${path}` : `*.*.${path}`)),
      ],
      censor: '[secret]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}
