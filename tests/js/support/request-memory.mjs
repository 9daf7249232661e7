/**
 * A server on 127.0.0.1 that loads a filter of 1.2 MB for each request. At the first request, each 1,000th and the
 * last, it prints a line of JSON: the megabytes of the process and of wasm memory, and the number of refusals. To run
 * an hour of ten requests a second: node tests/js/support/request-memory.mjs using 36000
 */
import { Agent, createServer, get } from 'node:http';
import { json } from 'node:stream/consumers';

const memories = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = new Proxy(Instance, {
  construct(target, args) {
    const made = new target(...args);
    memories.push(
      ...Object.values(made.exports).filter((one) => one instanceof WebAssembly.Memory),
    );
    return made;
  },
});

const { BloomFilter } = await import('tamis');
const read = await import('tamis/read');

const bytes = new BloomFilter({ capacity: 1_000_000, fpr: 0.01 }).toBytes();
const load = () => BloomFilter.fromBytes(bytes);
const askAndDispose = (filter) => {
  const answer = filter.has('key');
  filter.dispose();
  return answer;
};
/** What a request does. The first way disposes of the filter, as `using` does in engines that have it. */
const ways = {
  using: () => askAndDispose(load()),
  read: () => read.BloomFilter.fromBytes(bytes).has('key'),
  forgotten: () => load().has('key'),
};

const [way, count] = process.argv.slice(2);
const requests = Number(count);
const server = createServer((_, response) => {
  try {
    response.end(JSON.stringify({ has: ways[way]() }));
  } catch ({ code, message }) {
    response.end(JSON.stringify({ code, message }));
  }
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const agent = new Agent({ keepAlive: true });
const url = `http://127.0.0.1:${server.address().port}`;
const ask = () =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => resolve(json(response))).on('error', reject);
  });

const inMegabytes = (size) => Math.round(size / 1e6);
let refused = 0;
for (let i = 1; i <= requests; i++) {
  const { code, message } = await ask();
  if (code !== undefined && refused++ === 0)
    console.log(JSON.stringify({ request: i, code, message }));
  if (i > 1 && i < requests && i % 1000 > 0) continue;
  const wasm = inMegabytes(memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0));
  console.log(
    JSON.stringify({ requests: i, rss: inMegabytes(process.memoryUsage().rss), wasm, refused }),
  );
}
agent.destroy();
server.close();
