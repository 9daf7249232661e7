// Reads filters from JSON, and base64 inside the JSON.

import { asciiOf } from '../core/border/memory.js';
import { mustBe } from '../core/errors.js';
import { isBytes } from '../core/key-types.js';
import { startOf } from '../core/structures/loading.js';
import { ForeignData, ForeignReader } from './codec.js';

/** JSON as text, as the text's bytes, or as a parsed value. */
export type Json = string | ArrayBuffer | Uint8Array | object;

const base64Form = /^(?:[\w-]*|[A-Za-z0-9+/]*)={0,2}$/;

export class ForeignJson extends ForeignData {
  readonly #object: Readonly<Record<string, unknown>>;

  /** Throws TypeError and ERR_TAMIS_TOO_LARGE, and ERR_TAMIS_CORRUPT if the value is not a JSON object. */
  constructor(format: string, data: unknown, maxBytes?: number) {
    super(format, maxBytes);
    let value: unknown = data;
    const isBuffer = Object.prototype.toString.call(data) === '[object ArrayBuffer]'; // also one from another realm
    if (typeof data === 'string') {
      this.checkLimit(data.length);
    } else if (isBuffer || isBytes(data)) {
      value = new ForeignReader(format, data, maxBytes).bytes;
    } else if (typeof data !== 'object' || data === null) {
      throw mustBe('JSON as a string, as bytes or parsed', `${format}: data`, data);
    }
    try {
      if (isBytes(value)) value = new TextDecoder('utf-8', { fatal: true }).decode(value);
      if (typeof value === 'string') value = JSON.parse(value);
    } catch {
      this.start = typeof value === 'string' ? value.slice(0, 64) : startOf(value as Uint8Array);
      throw this.corrupt('it is not JSON in UTF-8');
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.corrupt('it is not an object');
    }
    this.#object = Object(value);
  }

  /** An own member of the object; undefined if it is absent. */
  get(name: string): unknown {
    return Object.hasOwn(this.#object, name) ? this.#object[name] : undefined;
  }

  /** The value of a member, which must be an integer of at least 1. Throws ERR_TAMIS_CORRUPT. */
  whole(name: string): number {
    const value = this.get(name);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
    throw this.corrupt(`expected a whole number in ${name}`);
  }

  /** The value of a member, which must be a number of hashes. Throws ERR_TAMIS_CORRUPT and ERR_TAMIS_UNSUPPORTED. */
  hashes(name: string): number {
    return this.checkHashes(this.whole(name));
  }
}

/** Decodes a member in base64 of either alphabet. Not a method, so that bundles without such formats leave it out. */
export function base64In(json: ForeignJson, name: string): Uint8Array<ArrayBuffer> {
  const text = json.get(name);
  if (typeof text === 'string' && text.length % 4 === 0 && base64Form.test(text)) {
    const plain = text.replaceAll('-', '+').replaceAll('_', '/');
    const binary = atob(plain);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
    // The last character may have unused bits. If one is not 0, encoding the last bytes gives other characters.
    const last = bytes.subarray(bytes.length - (bytes.length % 3 || 3));
    if (plain.endsWith(textOfBase64(last, false))) return bytes;
  }
  throw json.corrupt(`expected base64 in ${name}`);
}

/** Encodes bytes as base64 with padding. */
export function textOfBase64(bytes: Uint8Array, isUrlSafe: boolean): string {
  const text = btoa(asciiOf(bytes));
  return isUrlSafe ? text.replaceAll('+', '-').replaceAll('/', '_') : text;
}
