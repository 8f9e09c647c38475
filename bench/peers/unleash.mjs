// Unmodified unleash-server on the PostgreSQL at a socket: DATABASE_HOST, DATABASE_USER, PORT.
import { start } from 'unleash-server';

// Its limits of requests per minute must not affect the benchmark.
process.env.SDK_API_RATE_LIMIT_PER_MINUTE = '100000000';
process.env.TOKEN_AUTHENTICATION_RATE_LIMIT_PER_MINUTE = '100000000';

const { DATABASE_HOST, DATABASE_USER, PORT, ADMIN_TOKEN, FRONTEND_TOKEN } = process.env;
await start({
  db: { host: DATABASE_HOST, user: DATABASE_USER, password: '', database: 'postgres', port: 5432, ssl: false },
  server: { port: Number(PORT), host: '127.0.0.1' },
  logLevel: 'error',
  versionCheck: { enable: false },
  telemetry: false,
  authentication: {
    initApiTokens: [
      { environment: '*', projects: ['*'], secret: ADMIN_TOKEN, type: 'admin', tokenName: 'bench' },
      {
        environment: 'development',
        projects: ['default'],
        secret: FRONTEND_TOKEN,
        type: 'frontend',
        tokenName: 'page',
      },
    ],
  },
});
console.log('it listens');
