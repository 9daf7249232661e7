// Starts DNS servers for one test file: each with feeds, in front of a server that has addresses for every name.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from 'dns-packet';
import { makeFolder } from '../folders.mjs';
import { onFreePort, startServer } from '../servers.mjs';
import { endOf, serveUdp, TYPES, withBytes } from './dns-client.mjs';

/** The IPv4 address of a name that nobody blocks. */
export const openAddress = '203.0.113.7';
/** All addresses of such a name. */
export const openAddresses = [openAddress, '2001:db8::7'];

/** A record with an address and a time to live of a minute, which points to the name in the question. */
const recordOf = (type, address) =>
  Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length, ...address]);
const records = {
  [TYPES.A]: recordOf(TYPES.A, openAddress.split('.')),
  [TYPES.AAAA]: recordOf(TYPES.AAAA, [0x20, 1, 0xd, 0xb8, ...Array(11).fill(0), 7]),
};

/** Answers questions about addresses, and all others without a record. `seen` collects the questions. */
async function startUpstream() {
  const seen = new Set();
  const socket = await serveUdp((message, reply) => {
    const [{ name, type }] = decode(message).questions;
    seen.add(`${name} ${type}`);
    const end = endOf(message);
    const record = records[message.readUInt16BE(end - 4)];
    const header = [0x84, 0x80, 0, 1, 0, record ? 1 : 0, 0, 0, 0, 0]; // with authority
    const head = withBytes(message.subarray(0, end), 2, ...header);
    reply(record ? Buffer.concat([head, record]) : head);
  });
  return { port: socket.address().port, seen };
}

const unbound = (folder, [feed], port, upstream) => ({
  name: 'unbound',
  config: `
server:
  interface: 127.0.0.1
  port: ${port}
  so-reuseport: no
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
  args: ['-d', '-c'],
  ready: /start of service/,
});

/** The client address for which BIND answers with feed number i. */
export const clientOf = (i) => `127.1.${i >> 8}.${i & 255}`;

const named = (folder, feeds, port, upstream) => ({
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
  check-names primary warn;
};
controls { };
${feeds
  .map(
    (feed, i) => `view "v${i}" {
  match-clients { ${clientOf(i)}; };
  response-policy { zone "rpz.invalid"; } qname-wait-recurse no;
  zone "rpz.invalid" { type primary; file "${feed}"; };
};`,
  )
  .join('\n')}
`,
  args: ['-g', '-n', '1', '-c'],
  ready: /all zones loaded/,
});

const dnsmasq =
  (option) =>
  (_folder, [feed], port, upstream) => ({
    name: 'dnsmasq',
    config: `
port=${port}
listen-address=127.0.0.1,::1
bind-interfaces
no-resolv
no-hosts
no-poll
cache-size=0
server=127.0.0.1#${upstream}
${option}=${feed}
`,
    args: ['--keep-in-foreground', '--log-facility=-', '--user=', '--pid-file=', '-C'],
    ready: /started, version/,
  });

/** The program for each format of feeds. */
const programs = {
  unbound,
  rpz: named,
  dnsmasq: dnsmasq('conf-file'),
  hosts: dnsmasq('addn-hosts'),
};

/**
 * Starts the program for a format with this feed; BIND can have several, each for one client address. A feed is text or
 * bytes, or a function that makes it from two ports: the program's, and that of the server behind it. Rejects if the
 * program exits.
 */
export async function startResolver(format, ...feeds) {
  const folder = makeFolder('dns');
  const { port: upstream, seen } = await startUpstream();
  const config = join(folder, 'config');
  const { port, server } = await onFreePort(async (port) => {
    const files = feeds.map((feed, i) => {
      const file = join(folder, `feed${i}`);
      writeFileSync(file, typeof feed === 'function' ? feed(port, upstream) : feed);
      return file;
    });
    const how = programs[format](folder, files, port, upstream);
    writeFileSync(config, how.config);
    // dnsmasq reads names in the encoding of the locale.
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    const server = await startServer(how.ready, how.name, [...how.args, config], { env });
    if (!/address in use/.test(server.printed())) return { port, server };
    // Another process has the port. BIND does not exit then.
    await server.stop();
    throw new Error(server.printed());
  });
  return { port, seen, printed: server.printed, stop: server.stop };
}
