// Whether the server of this container answers, in plain text or over TLS. Nobody else is asked, so its certificate is not checked.
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';

const { FANION_PORT: port = '8080', FANION_TLS_CERT: cert } = process.env;
const [scheme, get] = cert ? ['https', getSecure] : ['http', getPlain];
get(`${scheme}://127.0.0.1:${port}/healthz`, { rejectUnauthorized: false }, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
}).on('error', () => process.exit(1));
