// A small server for the harness's own tests: says who it is, waits as asked, and turns unready on demand.
const { readFileSync, existsSync } = require('node:fs');
const { createServer } = require('node:http');
const { hostname } = require('node:os');

const answers = {
  '/': () => hostname(),
  '/env': () => JSON.stringify(process.env),
  '/user': () => `${process.getuid()}:${process.getgid()}`,
};

const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://server');
  if (url.pathname === '/ready') {
    response.statusCode = existsSync('/tmp/unready') ? 503 : 200;
    return response.end();
  }
  if (url.pathname === '/file') return response.end(readFileSync(url.searchParams.get('path')));
  if (url.pathname === '/fetch') {
    return fetch(url.searchParams.get('url')).then(
      async (answer) => response.end(await answer.text()),
      (error) => response.writeHead(502).end(String(error.cause ?? error)),
    );
  }
  const wait = Number(url.searchParams.get('wait') ?? 0);
  return setTimeout(() => response.end(answers[url.pathname]?.() ?? ''), wait);
});
server.keepAliveTimeout = 1000;
server.listen(8080, () => console.log('listening'));
process.on('SIGTERM', () => {
  console.log('ending');
  server.close(() => process.exit(0));
});
