// The limit: node:http alone, which reads the body and answers with given bytes.
import { createServer } from 'node:http';

const body = Buffer.from(process.argv[2] ?? '{}', 'base64');
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString());
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
