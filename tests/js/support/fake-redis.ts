/** An in-memory version of the part of Redis that RedisFilter uses. */
import { afterEach, beforeEach, jest } from '@jest/globals';

type Words = readonly (string | Uint8Array)[];

interface Entry {
  bytes: Uint8Array;
  /** The fields of a hash; only strings have bytes. */
  fields?: Map<string, string>;
  untilMs: number;
}

const textOf = (word: string | Uint8Array | undefined): string =>
  typeof word === 'string' ? word : new TextDecoder().decode(word);

const bytesOf = (word: string | Uint8Array): Uint8Array =>
  typeof word === 'string' ? new TextEncoder().encode(word) : word;

/** Parses a number as node-redis and ioredis do: as a double, digit by digit. */
function asClientsRead(value: number): number {
  let read = 0;
  for (const digit of String(value)) read = read * 10 + digit.charCodeAt(0) - 48;
  return read;
}

const bitAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;

/** The number in `bits` bits from `at` on, highest bit first. */
function fieldAt(bytes: Uint8Array, at: number, bits: number): number {
  let value = 0;
  for (let bit = at; bit < at + bits; ) {
    // Reads up to the end of a byte or of the field. Reading single bits would take most of a test's time.
    const next = Math.min(at + bits, (bit | 7) + 1);
    const size = 2 ** (next - bit);
    value = value * size + (((bytes[bit >> 3] ?? 0) >> (7 - ((next - 1) & 7))) % size);
    bit = next;
  }
  return value;
}

export class FakeRedis {
  readonly entries = new Map<string, Entry>();
  /** Names of keys that have another type. */
  readonly lists = new Set<string>();
  /** All commands that were sent. */
  readonly sent: string[][] = [];
  /** Called before each command. It may throw the errors of a server or client. */
  before: (words: string[]) => void = () => {};

  readonly call = async (args: Words): Promise<unknown> => {
    const words = args.map((word) => textOf(word));
    this.sent.push(words);
    this.before(words);
    await Promise.resolve();
    return this.#run(args, words);
  };

  /** Saves all keys or some. Returns a function that restores them, as from an older dump. */
  save(keys: readonly string[] = [...this.entries.keys()]): () => void {
    const saved = keys.map((key): [string, Entry] => {
      const { bytes, fields, untilMs } = this.entries.get(key) as Entry;
      const own = { bytes: bytes.slice(), untilMs };
      return [key, fields === undefined ? own : { ...own, fields: new Map(fields) }];
    });
    return () => {
      for (const [key, entry] of saved) this.entries.set(key, entry);
    };
  }

  bytes(key: string): Uint8Array | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined || entry.untilMs > Date.now()) return entry?.bytes;
    this.entries.delete(key);
    return undefined;
  }

  /** The values of a hash. */
  values(key: string): string[] {
    return [...(this.entries.get(key)?.fields?.values() ?? [])];
  }

  /** The bytes of a string, extended to `length` bytes as a write would do. */
  #grow(key: string, length: number): Uint8Array {
    const entry = this.entries.get(key) ?? { bytes: new Uint8Array(), untilMs: Infinity };
    this.entries.set(key, entry);
    if (entry.bytes.length < length) {
      const grown = new Uint8Array(length);
      grown.set(entry.bytes);
      entry.bytes = grown;
    }
    return entry.bytes;
  }

  #setBit(key: string, at: number, bit: number): number {
    const bytes = this.#grow(key, (at >> 3) + 1);
    const old = bitAt(bytes, at);
    const mask = 0x80 >> (at & 7);
    bytes[at >> 3] = ((bytes[at >> 3] as number) & ~mask) | (bit ? mask : 0);
    return old;
  }

  #fields(key: string, words: string[]): number[] {
    const replies: number[] = [];
    for (let i = 2; i < words.length; ) {
      const [how, type = '', offset] = words.slice(i, i + 3);
      const bits = Number(type.slice(1));
      const at = Number(offset);
      replies.push(asClientsRead(fieldAt(this.bytes(key) ?? new Uint8Array(), at, bits)));
      for (let bit = 0; how === 'SET' && bit < bits; bit++) {
        const set = Math.floor(Number(words[i + 3]) / 2 ** (bits - 1 - bit)) % 2;
        this.#setBit(key, at + bit, set);
      }
      i += how === 'SET' ? 4 : 3;
    }
    return replies;
  }

  #set(key: string, args: Words, words: string[]): string | null {
    const how = words.slice(3);
    const isThere = this.bytes(key) !== undefined || this.lists.has(key);
    if (how.includes('NX') && isThere) return null;
    if (how.includes('XX') && !isThere) return null;
    const px = how.indexOf('PX');
    const untilMs = px < 0 ? Infinity : Date.now() + Number(how[px + 1]);
    this.entries.set(key, { bytes: bytesOf(args[2] as string).slice(), untilMs });
    return 'OK';
  }

  /** Runs the commands on a hash. */
  #hash(command: string, key: string, field: string, value = ''): unknown {
    const fields = this.entries.get(key)?.fields ?? new Map<string, string>();
    if (command === 'HVALS') return [...fields.values()];
    if (command === 'HDEL') {
      const isThere = fields.delete(field);
      if (fields.size === 0) this.entries.delete(key);
      return Number(isThere);
    }
    if (fields.has(field)) return 0;
    fields.set(field, value);
    this.entries.set(key, { bytes: new Uint8Array(), fields, untilMs: Infinity });
    return 1;
  }

  #run(args: Words, words: string[]): unknown {
    const [command = '', key = '', first = '', second] = words;
    if (command === 'BITOP') return this.#or(words.slice(2) as [string, ...string[]]);
    const bytes = this.bytes(key);
    const isOfHash = ['HVALS', 'HSETNX', 'HDEL'].includes(command);
    const isOther = bytes && isOfHash !== (this.entries.get(key)?.fields !== undefined);
    if ((this.lists.has(key) || isOther) && !['SET', 'DEL', 'PTTL'].includes(command)) {
      throw new Error('WRONGTYPE Operation against a key holding the wrong kind of value');
    }
    if (isOfHash) return this.#hash(command, key, first, second);
    switch (command) {
      case 'GET':
        return bytes === undefined ? null : new TextDecoder().decode(bytes);
      case 'SET':
        return this.#set(key, args, words);
      case 'DEL':
        return Number(this.entries.delete(key));
      case 'STRLEN':
        return bytes?.length ?? 0;
      case 'GETBIT':
        return bitAt(bytes ?? new Uint8Array(), Number(first));
      case 'SETBIT':
        return this.#setBit(key, Number(first), Number(second));
      case 'BITPOS': {
        const at = (bytes ?? new Uint8Array()).findIndex((byte) => byte !== 0);
        return at < 0 ? -1 : 8 * at + Math.clz32(bytes?.[at] as number) - 24;
      }
      case 'BITFIELD':
      case 'BITFIELD_RO':
        return this.#fields(key, words);
      case 'GETRANGE':
        return (bytes ?? new Uint8Array()).slice(Number(first), Number(second) + 1);
      case 'SETRANGE': {
        const value = bytesOf(args[3] as string);
        this.#grow(key, Number(first) + value.length).set(value, Number(first));
        return this.bytes(key)?.length;
      }
      case 'PEXPIRE': {
        const entry = this.entries.get(key);
        if (bytes === undefined || entry === undefined) return 0;
        entry.untilMs = Date.now() + Number(first);
        return 1;
      }
      case 'PTTL': {
        if (this.lists.has(key)) return -1;
        const untilMs = bytes && this.entries.get(key)?.untilMs;
        if (untilMs === undefined) return -2;
        return untilMs === Infinity ? -1 : untilMs - Date.now();
      }
      default:
        throw new Error(`ERR unknown command '${command}'`);
    }
  }

  #or([into, ...from]: [string, ...string[]]): number {
    const all = from.map((key) => this.bytes(key) ?? new Uint8Array());
    const united = new Uint8Array(Math.max(...all.map(({ length }) => length)));
    for (const bytes of all) {
      for (const [i, byte] of bytes.entries()) united[i] = (united[i] as number) | byte;
    }
    this.entries.set(into, { bytes: united, untilMs: Infinity });
    return united.length;
  }
}

/**
 * Makes all pauses in the tests of this file end at once, so that a wait is a number of polls. Returns the lengths of a
 * test's pauses in ms.
 */
export function skipRests(): number[] {
  const rests: number[] = [];
  const rest = (act: () => void, ms = 0) => {
    rests.push(ms);
    return setImmediate(act);
  };
  beforeEach(() => {
    rests.length = 0;
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(rest as never);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  return rests;
}
