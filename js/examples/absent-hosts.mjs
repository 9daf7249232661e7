// Hosts that are on no list, made from a fixed seed: every run looks up the same ones.

const SYLLABLES = ['ba', 'ke', 'lo', 'mi', 'nu', 'ra', 'sto', 'ver', 'tan', 'quil', 'dex', 'pho'];
const DOMAINS = ['com', 'net', 'org', 'io', 'co.uk', 'app', 'xyz', 'example'];
const SEED = 0x7a315;

/** The next state of mulberry32, a generator with a state of 32 bits, and the number it gives. */
function scramble(state) {
  let x = Math.imul(state ^ (state >>> 15), state | 1);
  x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
  return (x ^ (x >>> 14)) >>> 0;
}

/** The i-th absent host. Its number is part of the name, so no two are alike. */
function absentHost(i) {
  let bits = scramble((SEED + Math.imul(i, 0x6d2b79f5)) >>> 0);
  let name = '';
  for (let syllables = 2 + (bits & 1); syllables > 0; syllables--) {
    bits = scramble(bits + 1);
    name += SYLLABLES[bits % SYLLABLES.length];
  }
  return `${name}${i.toString(36)}.${DOMAINS[(bits >>> 16) % DOMAINS.length]}`;
}

/**
 * The absent hosts number `from` to `to - 1`, without those that are `listed`. Each call makes new
 * strings, flat ones. V8 keeps a string's hash with it, and puts off concatenation. To look the same
 * objects up twice, or fresh sums of strings, would time something else.
 */
export function absentHosts(from, to, listed) {
  const hosts = [];
  for (let i = from; i < to; i++) {
    const host = Buffer.from(absentHost(i), 'latin1').latin1Slice();
    if (!listed.has(host)) hosts.push(host);
  }
  return hosts;
}
