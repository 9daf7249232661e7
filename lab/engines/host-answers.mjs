// Finds out what programs do with hosts: block them, let them pass, or give another answer.
import { execFile, execFileSync } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { dirname, join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { decode } from 'dns-packet';
import { makeFolder } from '../folders.mjs';
import { labelsOf, questionOf, startClient } from './dns-client.mjs';
import { openAddresses } from './resolvers.mjs';

const familyOf = (address) => (address.includes(':') ? 'ipv6' : 'ipv4');
/** The null address and this machine's addresses, also as IPv4 in IPv6. */
const sinkholes = new BlockList();
sinkholes.addSubnet('127.0.0.0', 8);
for (const address of ['0.0.0.0', '::', '::1']) sinkholes.addAddress(address, familyOf(address));
const isSinkhole = (address) => sinkholes.check(address, familyOf(address));

/** A placeholder for any other address. */
const elsewhere = '192.0.2.0';

/** The verdict for all addresses of a name. A name without addresses is blocked. */
function verdictOf(addresses) {
  if (addresses.length === 0 || addresses.some(isSinkhole)) return 'blocked';
  return addresses.every((one) => openAddresses.includes(one)) ? 'open' : 'other';
}

/** A question that unbound and BIND answer themselves. Its answer shows that they have read all earlier questions. */
const fence = questionOf(labelsOf('rpz.invalid'));
/** Longer than a tick of any clock: unbound sends questions on when its clock has ticked. */
const tickMs = 50;

/** Waits until the server behind the program has received all questions that the program forwards. */
async function passFences(client) {
  await setTimeout(tickMs);
  for (let i = 0; i < 3; i++) await client.ask(fence);
  await setImmediate(); // the server behind the program reads what has come
}

/** The addresses in an answer. For a redirected name, they are those that another server would give. */
async function addressesIn(packet, askByTcp) {
  const { rcode, flag_tc: isCut, answers, questions } = decode(packet);
  if (isCut) return askByTcp();
  if (rcode === 'SERVFAIL') throw new Error(`SERVFAIL for ${questions[0].name}`);
  const addresses = answers.filter(({ type }) => /^A+$/.test(type)).map(({ data }) => data);
  // The server behind the program has no CNAME.
  if (!answers.some(({ type }) => type === 'CNAME')) return addresses;
  return addresses.map((one) => (openAddresses.includes(one) ? elsewhere : one));
}

/**
 * Asks a resolver for the IPv4 and IPv6 addresses of names, from a client's address. Returns the verdict for each name.
 * For a question without an answer, the addresses are `dropped`, unless the server behind the resolver received the
 * question. Ask only about names of one case at a time.
 */
export async function askResolver({ port, seen }, names, { address = '127.0.0.1', dropped }) {
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${port}`]);
  resolver.setLocalAddress(address);
  const client = await startClient(port, address);
  seen.clear();
  const questions = names.flatMap((name) => ['A', 'AAAA'].map((type) => ({ name, type })));
  const asked = questions.map(({ name, type }) => {
    const question = { key: `${name} ${type}`, isAnswered: false };
    question.answer = client.ask(questionOf(labelsOf(name), type)).then((packet) => {
      question.isAnswered = true;
      return addressesIn(packet, () => resolver.resolve(name, type));
    });
    question.answer.catch(() => {}); // the client's end rejects a question without an answer
    return question;
  });
  try {
    await client.ask(fence);
    if (asked.some(({ isAnswered }) => !isAnswered)) await passFences(client);
    const addresses = [];
    for (const { key, isAnswered, answer } of asked) {
      addresses.push(isAnswered || seen.has(key) ? await answer : dropped);
    }
    return names.map((_, i) => verdictOf(addresses.slice(2 * i, 2 * i + 2).flat()));
  } finally {
    client.stop();
  }
}

const run = promisify(execFile);

/** glibc's look-up of names in a hosts file. The file has a fixed path, so a folder is the root of the look-up. */
export function makeGetent() {
  const folder = makeFolder('getent');
  const program = execFileSync('sh', ['-c', 'command -v getent'], { encoding: 'utf8' }).trim();
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g);
  for (const file of [program, ...libraries]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(file, join(folder, file));
  }
  mkdirSync(join(folder, 'etc'));
  writeFileSync(join(folder, 'etc/nsswitch.conf'), 'hosts: files\n');
  writeFileSync(join(folder, 'etc/host.conf'), 'multi on\n'); // as in Debian: all lines of a name count
  const unshare = process.getuid() === 0 ? [] : ['unshare', '-r'];
  const [command, ...start] = [...unshare, 'chroot', folder, program, '--no-idn', 'ahosts', '--'];
  const find = async (name) => {
    const { stdout } = await run(command, [...start, name]).catch((error) => {
      if (error.code === 2) return { stdout: '' }; // there is no such name
      throw error;
    });
    const addresses = [...stdout.matchAll(/^[^%\s]+/gm)].map(([address]) => address);
    return addresses.length > 0 ? verdictOf(addresses) : 'open';
  };
  /** The verdict for each name with this hosts file. */
  return (text, names) => {
    writeFileSync(join(folder, 'etc/hosts'), text);
    return Promise.all(names.map(find));
  };
}
