// Reads filters from JSON.

import { mustBe } from '../core/errors.js';
import { isBytes } from '../core/key-types.js';
import { ForeignData, ForeignReader } from './codec.js';

/** JSON as text, as the text's bytes, or as a parsed value. */
export type Json = string | ArrayBuffer | Uint8Array | object;

/** A reader of a JSON object's members. */
export class ForeignJson extends ForeignData {
  readonly #object: Readonly<Record<string, unknown>>;

  /** Throws TypeError and ERR_TAMIS_TOO_LARGE, and ERR_TAMIS_CORRUPT if the value is not a JSON object. */
  constructor(format: string, data: unknown, maxBytes?: number) {
    super(format, maxBytes);
    let value: unknown = data;
    const isBuffer = Object.prototype.toString.call(data) === '[object ArrayBuffer]';
    if (typeof data === 'string') {
      this.checkLimit(data.length);
    } else if (isBuffer || isBytes(data)) {
      const { bytes } = new ForeignReader(format, data, maxBytes);
      try {
        value = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      } catch {
        throw this.corrupt('it is not UTF-8');
      }
    } else if (typeof data !== 'object' || data === null) {
      throw mustBe('JSON as a string, as bytes or parsed', `${format}: data`, data);
    }
    if (typeof value === 'string') {
      try {
        value = JSON.parse(value);
      } catch {
        throw this.corrupt('it is not JSON');
      }
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.corrupt('it is no object');
    }
    this.#object = Object(value);
  }

  /** An own member of the object; undefined if it is absent. */
  get(name: string): unknown {
    return Object.hasOwn(this.#object, name) ? this.#object[name] : undefined;
  }

  /** A member that is an integer of at least 1. Throws ERR_TAMIS_CORRUPT. */
  whole(name: string): number {
    const value = this.get(name);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
    throw this.corrupt(`expected a whole number in ${name}`);
  }

  /** The number of hashes. Throws ERR_TAMIS_CORRUPT and ERR_TAMIS_UNSUPPORTED. */
  hashes(name: string): number {
    return this.checkHashes(this.whole(name));
  }
}
