// DNS servers for one test file: each with a block list, before a server that has an address for every name.
import { Resolver } from 'node:dns/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../folders.mjs';
import { onFreePort, startServer } from '../servers.mjs';
import { endOf, serveUdp, TYPES, withBytes } from './dns-client.mjs';

/** The address of a name that nobody blocks. */
export const openAddress = '203.0.113.7';
/** The address as a record for a minute, which points to the name in the question. */
const addressRecord = Buffer.from(
  [0xc0, 12, 0, TYPES.A, 0, 1, 0, 0, 0, 60, 0, 4].concat(openAddress.split('.')),
);

/** Answers every question about an address by `openAddress`, and every other question without a record. */
const startUpstream = () =>
  serveUdp((message, reply) => {
    const end = endOf(message);
    const records = message.readUInt16BE(end - 4) === TYPES.A ? [addressRecord] : [];
    const header = [0x84, 0x80, 0, 1, 0, records.length, 0, 0, 0, 0]; // with authority
    reply(Buffer.concat([withBytes(message.subarray(0, end), 2, ...header), ...records]));
  });

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
  args: ['-d', '-c'],
  ready: /start of service/,
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
  args: ['-g', '-n', '1', '-c'],
  // It answers before it has all of the policy.
  ready: /rpz[.]invalid: reload done: success/,
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
  args: ['--keep-in-foreground', '--log-facility=-', '--user=', '--pid-file=', '-C'],
  ready: /started, version/,
});

/** The program for each format of feeds, by the format's name. */
const programs = { unbound, rpz: named, dnsmasq };

/**
 * Starts the program of a format, with this feed. `isBlocked` asks about a name, which is blocked unless the server
 * behind the program answers.
 */
export async function startResolver(format, text) {
  const folder = makeFolder('dns');
  const [feed, file] = ['feed', 'config'].map((name) => join(folder, name));
  writeFileSync(feed, text);
  const upstream = await startUpstream();
  const { port, server } = await onFreePort(async (port) => {
    const how = programs[format](folder, feed, port, upstream.address().port);
    writeFileSync(file, how.config);
    const server = await startServer(how.ready, how.name, [...how.args, file]);
    if (!/address in use/.test(server.printed())) return { port, server };
    // Somebody else took the port. BIND does not end then.
    await server.stop();
    throw new Error(server.printed());
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
  return { port, isBlocked, stop: server.stop };
}
