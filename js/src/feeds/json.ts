// A JSON reader for input in pieces. It reports each value as the value ends. It holds one string and a few levels, for
// any length and depth of the input.

import { TamisError } from '../core/errors.js';

/** The callbacks of a reader of records. */
export interface JsonEvents {
  /** An object or an array begins. `key` is its name; inside an array, the name of that array. */
  open(isArray: boolean, key: string): void;
  close(isArray: boolean): void;
  /** A string, as a member of an object or (`isItem`) of an array; undefined if it is too long. */
  string(value: string | undefined, key: string, isItem: boolean): void;
}

/** Deeper than any feed. Each level costs memory. */
const mostLevels = 64;
/** Values that are neither strings nor brackets. */
const literal = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/;
const mostLiteral = 400;
const escapes: Readonly<Record<string, string>> = {
  ...{ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
};

type Expected = 'value' | 'value-or-end' | 'name' | 'name-or-end' | 'colon' | 'comma' | 'nothing';

function fail(): never {
  throw new TamisError('ERR_TAMIS_CORRUPT', 'readFeed: the JSON of the feed is damaged');
}

/** Reads JSON in pieces. Throws ERR_TAMIS_CORRUPT for invalid JSON, and ERR_TAMIS_TRUNCATED if it ends too early. */
export class JsonStreamReader {
  readonly #events: JsonEvents;
  readonly #mostUnits: number;
  readonly #levels: { isArray: boolean; key: string }[] = [];
  #expected: Expected = 'value';
  #name = '';
  /** The string or literal so far. `#isTooLong` is true if the string is too long to keep. */
  #text = '';
  #state: 'between' | 'string' | 'literal' = 'between';
  #isTooLong = false;
  /** An escape sequence that is not complete yet. */
  #escape = '';

  constructor(events: JsonEvents, mostUnits: number) {
    this.#events = events;
    this.#mostUnits = mostUnits;
  }

  read(text: string): void {
    for (let i = 0; i < text.length; ) {
      if (this.#state === 'string') i = this.#readString(text, i);
      else if (this.#state === 'literal') i = this.#readLiteral(text, i);
      else this.#readSign(text.charAt(i++));
    }
  }

  end(): void {
    if (this.#state === 'literal' && this.#levels.length === 0) this.#endLiteral();
    if (this.#expected === 'nothing' && this.#state === 'between') return;
    throw new TamisError('ERR_TAMIS_TRUNCATED', 'readFeed: the JSON of the feed ends too early');
  }

  #readSign(sign: string): void {
    const expected = this.#expected;
    if (sign === ' ' || sign === '\n' || sign === '\r' || sign === '\t') return;
    const wantsValue = expected === 'value' || expected === 'value-or-end';
    const wantsName = expected === 'name' || expected === 'name-or-end';
    if (sign === '"') {
      if (!wantsValue && !wantsName) fail();
      this.#state = 'string';
    } else if (sign === ',') {
      if (expected !== 'comma') fail();
      this.#expected = this.#isInArray ? 'value' : 'name';
    } else if (sign === ':') {
      if (expected !== 'colon') fail();
      this.#expected = 'value';
    } else if (sign === '[' || sign === '{') {
      if (!wantsValue) fail();
      this.#open(sign === '[');
    } else if (sign === ']' || sign === '}') {
      const isArray = sign === ']';
      const mayEnd =
        expected === 'comma' || expected === (isArray ? 'value-or-end' : 'name-or-end');
      if (!mayEnd || this.#levels.length === 0 || this.#isInArray !== isArray) fail();
      this.#close();
    } else {
      if (!wantsValue) fail();
      this.#state = 'literal';
      this.#text = sign;
    }
  }

  get #isInArray(): boolean {
    return this.#levels.at(-1)?.isArray ?? false;
  }

  get #key(): string {
    const level = this.#levels.at(-1);
    return level?.isArray ? level.key : this.#name;
  }

  #open(isArray: boolean): void {
    if (this.#levels.length === mostLevels) {
      throw new TamisError(
        'ERR_TAMIS_TOO_LARGE',
        `readFeed: the JSON is deeper than ${mostLevels} levels`,
      );
    }
    const key = this.#key;
    this.#levels.push({ isArray, key });
    this.#expected = isArray ? 'value-or-end' : 'name-or-end';
    this.#events.open(isArray, key);
  }

  #close(): void {
    const isArray = this.#isInArray;
    this.#levels.pop();
    this.#endValue();
    this.#events.close(isArray);
  }

  #endValue(): void {
    this.#expected = this.#levels.length === 0 ? 'nothing' : 'comma';
  }

  #readLiteral(text: string, from: number): number {
    let i = from;
    while (i < text.length && !/[\s,:[\]{}"]/.test(text.charAt(i))) i++;
    if (this.#text.length + i - from > mostLiteral) fail();
    this.#text += text.slice(from, i);
    if (i < text.length) this.#endLiteral();
    return i;
  }

  #endLiteral(): void {
    if (!literal.test(this.#text)) fail();
    this.#text = '';
    this.#state = 'between';
    this.#endValue();
  }

  #readString(text: string, from: number): number {
    if (this.#escape !== '') return this.#readEscape(text.charAt(from), from);
    let i = from;
    let code = 0;
    for (; i < text.length; i++) {
      code = text.charCodeAt(i);
      if (code === 0x22 || code === 0x5c) break;
      if (code < 0x20) fail();
    }
    this.#keep(text.slice(from, i));
    if (i === text.length) return i;
    if (code === 0x5c) this.#escape = '\\';
    else this.#endString();
    return i + 1;
  }

  #readEscape(letter: string, at: number): number {
    this.#escape += letter;
    const code = this.#escape;
    if (code[1] !== 'u') {
      const meant = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
      this.#keep(meant ?? fail());
    } else if (code.length < 6) {
      return at + 1;
    } else {
      if (!/^\\u[\da-f]{4}$/i.test(code)) fail();
      this.#keep(String.fromCharCode(parseInt(code.slice(2), 16)));
    }
    this.#escape = '';
    return at + 1;
  }

  #keep(piece: string): void {
    if (this.#isTooLong || this.#text.length + piece.length > this.#mostUnits) {
      this.#isTooLong = true;
      this.#text = '';
    } else {
      this.#text += piece;
    }
  }

  #endString(): void {
    const value = this.#isTooLong ? undefined : this.#text;
    this.#text = '';
    this.#isTooLong = false;
    this.#state = 'between';
    if (this.#expected.startsWith('name')) {
      this.#name = value ?? '';
      this.#expected = 'colon';
      return;
    }
    const key = this.#key;
    const isItem = this.#isInArray;
    this.#endValue();
    this.#events.string(value, key, isItem);
  }
}
