// A DNS server that says that listed names do not exist, and forwards all other questions to a resolver.
// docs/recipes/url-server.md says how to run it.
import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { question } from 'dns-packet';
import { fileStorage, UrlChecker } from 'tamis/url';

const { MANIFEST, LIST, PUBLIC_KEY, WITHOUT_LIST } = process.env;
const { PORT = 53, UPSTREAM, UPSTREAM_PORT = 53, WAIT_MS = 4000 } = process.env;
if (!isIP(UPSTREAM)) throw new Error('UPSTREAM must be an IP address');
const [FORMAT_ERROR, SERVER_FAILURE, NO_SUCH_NAME] = [1, 2, 3];

const checker = await UrlChecker.open(MANIFEST, {
  name: LIST,
  publicKeys: [PUBLIC_KEY],
  storage: fileStorage('lists'), // so that a restart needs no network
  confirm: null, // the list has 8 bytes per entry, so a hit is listed
  whenMissing: 'unknown',
  whenUnconfirmed: 'unknown',
});
if (checker.status.error) console.error(checker.status.error.message);

/** Finds where the question ends, and the host: the last labels of its name that can be one. */
function readQuestion(message) {
  question.decode(message, 12); // throws if bytes are missing
  const end = 12 + question.decode.bytes;
  let labels = [];
  let at = 12;
  for (; message[at] > 0; at += message[at] + 1) {
    const label = message.toString('latin1', at + 1, at + 1 + message[at]);
    // A label may contain any bytes. A listed host covers names with such labels below it too.
    labels = /^[\w-]+$/.test(label) ? [...labels, label] : [];
  }
  if (message.readUInt16BE(4) !== 1 || at + 5 !== end) throw new Error('not one question');
  // A name that ends with a number would be read as an IP address.
  return { end, host: /^[a-z]/i.test(labels.at(-1) ?? '') ? labels.join('.') : '' };
}

/** Makes an answer without records from the message's header and, up to `end`, its question. */
function answerWith(code, message, end) {
  const answer = Buffer.from(message.subarray(0, end));
  answer.writeUInt16BE(0x8080 | (message.readUInt16BE(2) & 0x7910) | code, 2);
  return answer.fill(0, end > 12 ? 6 : 4, 12);
}

/** Asks the upstream from a new port, which an attacker would have to guess to forge the answer. */
function forward(message, end, reply) {
  let answer = answerWith(SERVER_FAILURE, message, end);
  const over = new AbortController();
  const stop = () => over.abort();
  const timer = setTimeout(stop, Number(WAIT_MS));
  const socket = createSocket({ type: `udp${isIP(UPSTREAM)}`, signal: over.signal });
  socket.on('connect', () => socket.send(message));
  socket.on('message', (bytes) => {
    const isSame = (from, to) => message.subarray(from, to).equals(bytes.subarray(from, to));
    // An answer that only reports an error may omit the question.
    const isAnswer = bytes.length >= 12 && bytes[2] > 127 && isSame(0, 2);
    if (!isAnswer || (bytes.readUInt16BE(4) > 0 && !isSame(12, end))) return;
    answer = bytes;
    stop();
  });
  socket.on('error', stop);
  socket.on('close', () => {
    clearTimeout(timer);
    reply(answer);
  });
  socket.connect(Number(UPSTREAM_PORT), UPSTREAM);
}

const server = createSocket('udp4', (message, { address, port }) => {
  // Never answer an answer, because two servers could do so without end.
  if (message.length < 12 || message[2] > 127 || port === 0) return;
  const reply = (answer) => server.send(answer, port, address, () => {});
  let asked;
  try {
    asked = readQuestion(message);
  } catch {
    return reply(answerWith(FORMAT_ERROR, message, 12));
  }
  const verdict = checker.checkHost(asked.host);
  if (verdict === 'maybe') reply(answerWith(NO_SUCH_NAME, message, asked.end));
  else if (verdict !== 'unknown' || WITHOUT_LIST === 'forward') forward(message, asked.end, reply);
  else reply(answerWith(SERVER_FAILURE, message, asked.end));
});
server.bind(Number(PORT), '127.0.0.1', () => console.log('ready', server.address().port));
