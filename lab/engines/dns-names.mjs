// Names to test a blocking DNS server with: hosts of a list, names below them, and similar names.
import { domainToASCII } from 'node:url';
import { labelsOf } from './dns-client.mjs';

/** The number of listed hosts. For each of them, the tests ask about a name of each kind. */
export const HOSTS = 400;
export const hostOf = (i) =>
  [
    `bad-${i}.example`,
    `ads.cdn-${i}.co.example`,
    `bad_${i}.example`,
    domainToASCII(`b\u00f6se-${i}.example`),
    `a-${i}.b.c.d.example`,
  ][i % 5];
export const addressOf = (i) => `203.0.${i >> 8}.${i & 255}`;

const escaped = (host) => {
  const code = host.charCodeAt(0).toString(16);
  return `%${code}${host.slice(1)}`;
};
const fullWidth = (host) => String.fromCodePoint(host.charCodeAt(0) + 0xfee0) + host.slice(1);
export const longest = 'x'.repeat(63);
/** The longest name below a host: 253 characters, or one less if no label fits. */
export function lengthen(host) {
  const room = 253 - host.length - 1;
  return room < 1 ? host : lengthen(`${longest.slice(0, room)}.${host}`);
}

/** The labels of names that are listed or below a listed host, by kind. */
export const listed = {
  'a host': (host) => labelsOf(host),
  'in upper case': (host) => labelsOf(host.toUpperCase()),
  'below, in mixed case': (host) => labelsOf(`LoGin.${host}`),
  'far below': (host) => labelsOf(`a.b.c.d.e.f.g.${host}`),
  'a service': (host) => labelsOf(`_443._TCP.${host}`),
  'the longest name below': (host) => labelsOf(lengthen(host)),
  'below a wrong A-label': (host) => labelsOf(`xn--a.${host}`),
  'below any bytes': (host, i) => [Buffer.from([0, i & 255, 255]), 'a b', ...labelsOf(host)],
  'below a dot in a label': (host) => ['a.b', ...labelsOf(host)],
};

/** The labels of names that are neither listed nor below a listed host. */
export const others = {
  'a longer first label': (host) => labelsOf(`not${host}`),
  'a longer last label': (host) => labelsOf(`${host}s`),
  'as the beginning of a name': (host) => labelsOf(`${host}.good.example`),
  'a dot that divides no labels': (host) => [host],
  'the first dot divides no labels': (host) => {
    const [first, second, ...rest] = labelsOf(host);
    return [Buffer.concat([first, Buffer.from('.'), second]), ...rest];
  },
  'letters that browsers take for these': (host) => labelsOf(fullWidth(host)),
  'an escape that browsers take for a letter': (host) => labelsOf(escaped(host)),
  'a user name, a port, brackets': (host, i) => {
    const [first, ...rest] = labelsOf(host);
    return [
      [Buffer.from(`a@${first}`), ...rest],
      [...labelsOf(host).slice(0, -1), 'example:80'],
      ['[2001:db8::1]'],
      ['2001:db8::1'],
    ][i % 4];
  },
  'a listed address': (_, i) => labelsOf(i % 2 ? addressOf(i) : `${0xcb000000 + i}`),
  'an address backwards': (_, i) =>
    labelsOf(`${addressOf(i).split('.').reverse().join('.')}.in-addr.arpa`),
  'a good host': (_, i) => labelsOf(`Good-${i}.Example`),
  'a service of a good host': (_, i) => labelsOf(`_dmarc._x.good-${i}.example`),
  'an A-label': (_, i) => labelsOf(domainToASCII(`k\u00e4se-${i}.example`)),
  'a wrong A-label': (_, i) => labelsOf(`xn--a.good-${i}.example`),
  'the root, a label alone, names that end in numbers': (host, i) =>
    [[], labelsOf('example'), labelsOf('localhost'), labelsOf(`${host}.7`)][i % 4],
  'what the resolver knows itself': (_, i) =>
    [labelsOf('text.data.example'), labelsOf('large.data.example'), labelsOf(`${i}.gone.example`)][
      i % 3
    ],
};
