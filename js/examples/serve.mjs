// The web server of an example, on 127.0.0.1.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';

/** A request to Node's server, as a Request. Throws if there is none for it: the method TRACE, the target `//[`. */
function requestOf(incoming) {
  const { method, headers, url } = incoming;
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(incoming);
  return new Request(new URL(url, 'http://localhost'), { method, headers, body, duplex: 'half' });
}

/** Answers each request by `respond`, a function from Request to Response. Returns `url` and `close`. */
export async function serve(respond, port = 0) {
  const server = createServer(async (incoming, outgoing) => {
    let fault = 400;
    try {
      const request = requestOf(incoming);
      fault = 500;
      const response = await respond(request);
      const body = Buffer.from(await response.arrayBuffer());
      const headers = { 'content-length': body.length, ...Object.fromEntries(response.headers) };
      outgoing.writeHead(response.status, headers).end(body);
    } catch {
      // No other code would catch the error, and the server would end.
      outgoing.writeHead(fault).end();
    }
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
