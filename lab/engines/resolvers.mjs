// DNS servers of our own for one test file: each with a block list, before a server that has an address for every name.
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode, encode } from 'dns-packet';
import { findFreePort } from '../../tests/e2e/free-port.mjs';

/** What a name has that nobody blocks. */
const openAddress = '203.0.113.7';

/** Answers every question about a name by `openAddress`, or by nothing of another type. */
async function startUpstream() {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (message, { port, address }) => {
    const { id, questions } = decode(message);
    const [{ name, type }] = questions;
    const answers = type === 'A' ? [{ name, type, ttl: 60, data: openAddress }] : [];
    const flags = 0x8480; // an answer with authority, and recursion is available
    socket.send(encode({ type: 'response', id, flags, questions, answers }), port, address);
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

/** By the name of a feed's format, the program that it is for. */
const programs = { unbound, rpz: named, dnsmasq };

/**
 * Starts the program that a format is for, with this feed. `isBlocked` asks about a name, and takes for blocked whatever is
 * not answered by the server behind it.
 */
export async function startResolver(format, text) {
  const folder = mkdtempSync(join(tmpdir(), 'tamis-dns-'));
  const upstream = await startUpstream();
  const port = await findFreePort();
  const feed = join(folder, 'feed');
  writeFileSync(feed, text);
  const { name, config, args } = programs[format](folder, feed, port, upstream.port);
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
  const resolver = new Resolver({ timeout: 2000, tries: 5 });
  resolver.setServers([`127.0.0.1:${port}`]);
  const isBlocked = async (host) => {
    try {
      return !(await resolver.resolve4(host)).includes(openAddress);
    } catch (error) {
      // NXDOMAIN, REFUSED, no data. What says nothing is no answer.
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
    rmSync(folder, { recursive: true, force: true });
  };
  const until = Date.now() + 60_000;
  for (;;) {
    const answer = await isBlocked('open.test-of-the-start.example').catch((error) => error);
    if (answer === false) return { isBlocked, stop, printed: () => printed };
    if (failure || server.exitCode !== null || Date.now() > until) {
      await stop();
      throw failure ?? new Error(`${name} does not answer, but ${answer}:\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
