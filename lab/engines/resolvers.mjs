// DNS servers for one test file: each with a block list, before a server that has an address for every name.
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, question } from 'dns-packet';
import { findFreePort } from '../../tests/e2e/free-port.mjs';
import { PATIENCE_MS } from '../../tests/e2e/patience.mjs';
import { makeFolder } from '../folders.mjs';

/** The address of a name that nobody blocks. */
export const openAddress = '203.0.113.7';
/** The address as a record, without its name. */
const addressRecord = answer
  .encode({ name: '.', type: 'A', ttl: 60, data: openAddress })
  .subarray(1);
const pointerToName = Buffer.from([0xc0, 12]);

/** Answers every question about an address by `openAddress`, and every other question without a record. */
async function startUpstream() {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (message, { port, address }) => {
    const { type } = question.decode(message, 12);
    // The answer copies the bytes of the question: a label may be any bytes, and text has dots between labels.
    const asked = message.subarray(0, 12 + question.decode.bytes);
    const header = Buffer.from([0x84, 0x80, 0, 1, 0, type === 'A' ? 1 : 0, 0, 0, 0, 0]); // with authority
    const records = type === 'A' ? [pointerToName, addressRecord] : [];
    const reply = [asked.subarray(0, 2), header, asked.subarray(12), ...records];
    socket.send(Buffer.concat(reply), port, address);
  });
  return { port: socket.address().port, stop: () => socket.close() };
}

const unbound = (folder, feed, port, upstream) => ({
  name: 'unbound',
  config: `
server:
  interface: 127.0.0.1
  port: ${port}
  do-daemonize: no
  chroot: ""
  username: ""
  directory: "${folder}"
  pidfile: ""
  use-syslog: no
  module-config: "iterator"
  do-not-query-localhost: no
  num-threads: 1
include: "${feed}"
forward-zone:
  name: "."
  forward-addr: 127.0.0.1@${upstream}
`,
  args: (config) => ['-d', '-c', config],
});

const named = (folder, feed, port, upstream) => ({
  name: 'named',
  config: `
options {
  directory "${folder}";
  pid-file "${folder}/pid";
  session-keyfile "${folder}/session.key";
  managed-keys-directory "${folder}";
  listen-on port ${port} { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion yes;
  forward only;
  forwarders { 127.0.0.1 port ${upstream}; };
  dnssec-validation no;
  empty-zones-enable no;
  response-policy { zone "rpz.invalid"; } qname-wait-recurse no;
};
controls { };
zone "rpz.invalid" { type primary; file "${feed}"; };
`,
  args: (config) => ['-g', '-n', '1', '-c', config],
  // It answers before it has all of the policy.
  loaded: 'rpz.invalid: reload done: success',
});

const dnsmasq = (_folder, feed, port, upstream) => ({
  name: 'dnsmasq',
  config: `
port=${port}
listen-address=127.0.0.1
bind-interfaces
no-resolv
no-hosts
no-poll
cache-size=0
server=127.0.0.1#${upstream}
conf-file=${feed}
`,
  args: (config) => ['--keep-in-foreground', '--user=', '--pid-file=', '-C', config],
});

/** The program for each format of feeds, by the format's name. */
const programs = { unbound, rpz: named, dnsmasq };

/**
 * Starts the program of a format, with this feed. `isBlocked` asks about a name, which is blocked unless the server
 * behind the program answers.
 */
export async function startResolver(format, text) {
  const folder = makeFolder('dns');
  const upstream = await startUpstream();
  const port = await findFreePort();
  const feed = join(folder, 'feed');
  writeFileSync(feed, text);
  const { name, config, args, loaded = '' } = programs[format](folder, feed, port, upstream.port);
  const file = join(folder, 'config');
  writeFileSync(file, config);
  const server = spawn(name, args(file), { stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  server.stderr.on('data', (piece) => {
    printed += piece;
  });
  let failure;
  server.on('error', (error) => {
    failure = error;
  });
  // Each try waits twice as long as the one before. All take over eight minutes.
  const resolver = new Resolver({ timeout: 2000, tries: 8 });
  resolver.setServers([`127.0.0.1:${port}`]);
  const isBlocked = async (host) => {
    try {
      return !(await resolver.resolve4(host)).includes(openAddress);
    } catch (error) {
      // These are answers that block: no such name, a refusal, no data. No answer at all is an error.
      if (['ENOTFOUND', 'EREFUSED', 'ENODATA'].includes(error.code)) return true;
      throw error;
    }
  };
  const stop = async () => {
    upstream.stop();
    if (server.exitCode === null && failure === undefined) {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    }
  };
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await isBlocked('open.test-of-the-start.example').catch((error) => error);
    if (/address (already )?in use/i.test(printed)) {
      // Somebody else took the port. BIND does not end then.
      await stop();
      return startResolver(format, text);
    }
    if (answer === false && printed.includes(loaded)) return { port, isBlocked, stop };
    if (failure || server.exitCode !== null || Date.now() > until) {
      await stop();
      throw failure ?? new Error(`${name} does not answer, but ${answer}:\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
