// Sends every command about the strings of one filter.

import { TamisError } from '../core/errors.js';
import { isBytes } from '../core/key-types.js';
import { blockNumbers } from '../core/keys/routes.js';
import { failureOf, isNoCommand, type RedisWord, type Send } from './client.js';
import { isReady, type Meta, readMeta, type Shape, shardTag } from './meta.js';

/** The maximum number of bytes in one transfer. More would block the server for other clients. */
const pieceBytes = 2 ** 23;

/** The bits of a tag, and of each field read. Not 53: some clients parse numbers with larger intermediate results. */
const fieldBits = 52;
const fieldType = `u${fieldBits}`;
const fieldEnd = 2 ** fieldBits;

/** The start of the field that is read for the bit at `offset`: this bit, or an earlier one near the block's end. */
const fieldStart = (offset: number): number => Math.min(offset, 256 - fieldBits);

/** The position of bit p in Redis, which numbers the bits of each byte from the highest. */
const offsetOf = (p: number): number => p ^ 7;

/** The number of bytes that contain the tag, after a shard's blocks. */
export const tailBytes = Math.ceil(fieldBits / 8);

/** The result of `blocksOf` in core/keys: for each key its block, and then its bits in the order of the words. */
export type Places = Uint32Array;
const keyBits = blockNumbers - 1;

/** The text of a reply that is bytes, a string or a number; empty for null, an array or another object. */
const textOf = (reply: unknown): string => {
  if (isBytes(reply)) return new TextDecoder().decode(reply);
  return typeof reply === 'object' ? '' : String(reply);
};

/** A reply as a whole number; NaN if it is not one. */
const numberOf = (reply: unknown): number => {
  const text = textOf(reply);
  return /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
};

const unsupported = (key: string, what: string) =>
  new TamisError('ERR_TAMIS_UNSUPPORTED', `${key}: the client returned ${what}`);

/** The strings of a filter in Redis. Methods reject with ERR_TAMIS_INCOMPATIBLE, _LOST or _UNAVAILABLE. */
export class Store {
  readonly name: string;
  readonly metaKey: string;
  readonly #send: Send;
  /** The shape of the filter. openShape sets this field and `state`. */
  shape!: Shape;
  /** The filter's state, as this process uses it. Only strings that end with the state's tag are accepted. */
  state!: Meta;
  #readCommand = 'BITFIELD_RO';

  constructor(name: string, send: Send) {
    this.name = name;
    this.metaKey = `${name}:meta`;
    this.#send = send;
  }

  /** The position of the tag in a shard's string, in bits. */
  get #tagAt(): number {
    return 256 * this.shape.blocks;
  }

  /** The Redis key of a shard. Each has its own hash tag, so that a cluster distributes the shards. */
  keyOf(shard: number): string {
    return `${this.name}:{${shard}}`;
  }

  async ask(key: string, words: RedisWord[], wantsBytes?: boolean): Promise<unknown> {
    try {
      return await this.#send(key, words, wantsBytes);
    } catch (cause) {
      throw failureOf(cause, key);
    }
  }

  /** Sends a command about `key` whose reply is a number. */
  async number(key: string, command: string, ...rest: RedisWord[]): Promise<number> {
    const reply = numberOf(await this.ask(key, [command, key, ...rest]));
    if (Number.isSafeInteger(reply)) return reply;
    throw unsupported(key, 'no number');
  }

  /** Reads `name:meta`; undefined if it does not exist. */
  async meta(): Promise<Meta | undefined> {
    const reply = await this.ask(this.metaKey, ['HVALS', this.metaKey]);
    if (Array.isArray(reply)) return readMeta(this.name, reply.map(textOf));
    throw unsupported(this.metaKey, 'no array');
  }

  remove(key: string): Promise<unknown> {
    return this.ask(key, ['DEL', key]);
  }

  #lost(key: string): TamisError {
    return new TamisError('ERR_TAMIS_LOST', `Redis lost ${key}, or it was recreated; see clear()`);
  }

  /**
   * Parses a reply of BITFIELD, whose first number is the tag. If the state has another tag, the filter may have been
   * emptied, so the state is read again from `name:meta`. Rejects with ERR_TAMIS_LOST if the tags still differ.
   */
  async #fields(shard: number, reply: unknown, length: number): Promise<readonly number[]> {
    const key = this.keyOf(shard);
    // Array.from also visits the holes of an array.
    const fields = Array.isArray(reply) ? Array.from(reply, numberOf) : [];
    if (fields.length !== length || !fields.every((field) => field >= 0 && field < fieldEnd)) {
      throw unsupported(key, `no array of ${length} numbers`);
    }
    const [tag] = fields;
    // A missing string has the tag 0, and so may one that another program rewrote.
    const isOurs = () => tag && tag === shardTag(this.state.tag, shard);
    if (!isOurs()) {
      const meta = await this.meta();
      const { id, stage } = this.state;
      // If the filter is ready at a later stage, clear() emptied it. At the same or an earlier one, Redis was restored.
      if (meta?.id === id && meta.stage > stage && isReady(meta)) this.state = meta;
      if (!isOurs()) throw this.#lost(key);
    }
    return fields;
  }

  /** Sets the bits of some keys with one command. Resolves, for each key, to true if one of its bits was clear. */
  async add(shard: number, places: Places, indexes: readonly number[]): Promise<boolean[]> {
    const key = this.keyOf(shard);
    const words = ['BITFIELD', key, 'GET', fieldType, `${this.#tagAt}`];
    for (const index of indexes) {
      const blockStart = 256 * (places[blockNumbers * index] ?? 0); // in bits
      for (let i = 1; i <= keyBits; i++) {
        const offset = offsetOf(places[blockNumbers * index + i] ?? 0);
        words.push('SET', 'u1', `${blockStart + offset}`, '1');
      }
    }
    const reply = await this.ask(key, words);
    const [, ...bits] = await this.#fields(shard, reply, 1 + keyBits * indexes.length);
    return indexes.map((_, i) => bits.slice(keyBits * i, keyBits * (i + 1)).includes(0));
  }

  /** Reads the bits of some keys in one command; near bits share a field. Resolves to true for a key with all bits. */
  async has(shard: number, places: Places, indexes: readonly number[]): Promise<boolean[]> {
    const key = this.keyOf(shard);
    const words = [key, 'GET', fieldType, `${this.#tagAt}`];
    let fieldCount = 1; // the tag
    // For each bit of a key: the index of the field that contains it, and its value in that field.
    const bits = indexes.map((index) => {
      const blockStart = 256 * (places[blockNumbers * index] ?? 0); // in bits
      let end = 0; // the end of the last field in the block; the offsets of a key ascend
      return Array.from({ length: keyBits }, (_, i) => {
        const offset = offsetOf(places[blockNumbers * index + i + 1] ?? 0);
        if (offset >= end) {
          words.push('GET', fieldType, `${blockStart + fieldStart(offset)}`);
          end = fieldStart(offset) + fieldBits;
          fieldCount++;
        }
        return [fieldCount - 1, 2 ** (end - 1 - offset)] as const;
      });
    });
    const fields = await this.#fields(shard, await this.#read(key, words), fieldCount);
    return bits.map((bitsOfKey) =>
      bitsOfKey.every(([field, value]) => Math.floor((fields[field] ?? 0) / value) % 2 === 1),
    );
  }

  /** Reads with BITFIELD_RO, or with BITFIELD if the server (before 6.2) or the user's permissions lack it. */
  async #read(key: string, words: RedisWord[]): Promise<unknown> {
    const command = this.#readCommand;
    try {
      return await this.ask(key, [command, ...words]);
    } catch (error) {
      if (command === 'BITFIELD' || !isNoCommand(Object(error).cause)) throw error;
      this.#readCommand = 'BITFIELD';
      return this.#read(key, words);
    }
  }

  /** Gives a shard its length and its tag. It clears no bit, because another filter may own the string by now. */
  async allocate(shard: number, tag: number): Promise<void> {
    const key = this.keyOf(shard);
    const words = ['BITFIELD', key];
    let left = tag;
    // Sets the tag's bits from the lowest, which is the last bit of the field, up to the highest 1.
    for (let at = this.#tagAt + fieldBits - 1; left > 0; at--) {
      if (left % 2 === 1) words.push('SET', 'u1', `${at}`, '1');
      left = Math.floor(left / 2);
    }
    await this.ask(key, words);
  }

  /** Reads the tag of a shard. Rejects with ERR_TAMIS_LOST unless it is this filter's. */
  async tagOf(shard: number): Promise<number> {
    const key = this.keyOf(shard);
    const reply = await this.#read(key, [key, 'GET', fieldType, `${this.#tagAt}`]);
    return (await this.#fields(shard, reply, 1))[0] as number;
  }

  /** Rejects with ERR_TAMIS_LOST unless the shard is missing or has no keys. If `removes`, it deletes such a shard. */
  async checkUnused(shard: number, removes = false): Promise<void> {
    const key = this.keyOf(shard);
    const length = await this.number(key, 'STRLEN');
    if (length === 0) return;
    const isWhole = length === this.#tagAt / 8 + tailBytes;
    // If a bit before the tag is set, the string has a key.
    if (!isWhole || (await this.number(key, 'BITPOS', '1')) < this.#tagAt) {
      const text = `${key} may have keys, but its meta is lost: DEL it, or clear()`;
      throw new TamisError('ERR_TAMIS_LOST', text);
    }
    if (!removes) return;
    // No filter has this tag, so no process adds to the string from now on. The second check finds keys added before.
    await this.allocate(shard, fieldEnd - 1);
    await this.checkUnused(shard);
    await this.remove(key);
  }

  /** Downloads the blocks of a shard. */
  async download(shard: number): Promise<Uint8Array<ArrayBuffer>> {
    const key = this.keyOf(shard);
    const all = new Uint8Array(this.#tagAt / 8);
    const tag = await this.tagOf(shard);
    for (let at = 0; at < all.length; at += pieceBytes) {
      const end = Math.min(at + pieceBytes, all.length);
      const words = ['GETRANGE', key, `${at}`, `${end - 1}`];
      const piece = await this.ask(key, words, true);
      if (!isBytes(piece)) throw unsupported(key, 'no Uint8Array');
      if (piece.length !== end - at) throw this.#lost(key);
      all.set(piece, at);
    }
    // Detects whether the string was evicted or emptied in the meantime.
    if ((await this.tagOf(shard)) !== tag) throw this.#lost(key);
    return all;
  }

  /** Sets, atomically, all bits that are set in `all`. */
  async merge(shard: number, all: Uint8Array): Promise<void> {
    const key = this.keyOf(shard);
    await this.tagOf(shard);
    // The hash tag of the shard keeps the upload on the same node.
    const upload = `${key}:${crypto.randomUUID()}`;
    // PX deletes an abandoned upload after ten minutes. NX: if the command arrives twice, the second clears nothing.
    await this.ask(upload, ['SET', upload, '', 'PX', '600000', 'NX']);
    for (let at = 0; at < all.length; at += pieceBytes) {
      await this.number(upload, 'SETRANGE', `${at}`, all.subarray(at, at + pieceBytes));
    }
    await this.ask(key, ['BITOP', 'OR', key, key, upload]);
    // If Redis evicted the upload, and a later piece created it again, it has no time to live.
    const isWhole = (await this.number(upload, 'PTTL')) > 0;
    await this.remove(upload);
    if (!isWhole) throw this.#lost(upload);
    await this.tagOf(shard);
  }
}
