// Hosts that are on no list, made from a fixed seed. Every run looks up the same hosts.

const SYLLABLES = ['ba', 'ke', 'lo', 'mi', 'nu', 'ra', 'sto', 'ver', 'tan', 'quil', 'dex', 'pho'];
const DOMAINS = ['com', 'net', 'org', 'io', 'co.uk', 'app', 'xyz', 'example'];
const SEED = 0x7a315;

/** The next state of mulberry32, a generator with a state of 32 bits, and its number. */
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
 * flat strings. V8 keeps a string's hash with it, and delays concatenation. Look-ups of old objects, or of
 * strings that are still to be joined, would measure something else.
 */
export function absentHosts(from, to, listed) {
  const hosts = [];
  for (let i = from; i < to; i++) {
    const host = Buffer.from(absentHost(i), 'latin1').latin1Slice();
    if (!listed.has(host)) hosts.push(host);
  }
  return hosts;
}
