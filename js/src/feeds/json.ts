// A JSON reader for input in pieces. It reports each string, and where arrays and objects begin and end. It keeps one
// string and a few levels in memory, however long the input is.

import { TamisError } from '../core/errors.js';

/** The callbacks of a JSON reader. */
export interface JsonEvents {
  /** An object or an array begins. */
  open?(isArray: boolean): unknown;
  close?(isArray: boolean): unknown;
  /** A string: the member `key` of an object, or (`isItem`) an item of that member's array; undefined if too long. */
  string(value: string | undefined, key: string, isItem: boolean): void;
}

/** The maximum number of nested arrays and objects. No feed is this deep, and each level costs memory. */
const mostLevels = 64;
const blanks = ' \n\r\t';
const signs = '[]{}:,"';
/** Matches a literal (any value without quotes or brackets), or the part of it that is in this piece. */
const literalPart = /[^\s[\]{}:,"]*/y;
const quote = 0x22;
const backslash = 0x5c;
const wholeEscape = /\\(u[\da-fA-F]{4}|["\\/bfnrt])/y;
/** Matches an escape whose end may be in the next piece. */
const openEscape = /^\\(u.{0,3})?$/s;
const literal = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/;
/** The maximum length of a literal in characters. No number in a feed is this long. */
const mostLiteral = 400;
/** The characters that may begin a value. Here and in `#expected`, 0 stands for a literal. */
const valueSigns = '"[{0';

function fail(): never {
  throw new TamisError('ERR_TAMIS_CORRUPT', 'readFeed: the JSON of the feed is damaged');
}

/** Reads JSON in pieces. Throws ERR_TAMIS_CORRUPT for invalid JSON, and ERR_TAMIS_TRUNCATED if it ends too early. */
export class JsonStreamReader {
  readonly #events: JsonEvents;
  readonly #mostUnits: number;
  readonly #decoder = new TextDecoder();
  /** The open arrays and objects. `key` is the member whose value each is, or contains each as an item. */
  readonly #levels: { isArray: boolean; key: string }[] = [];
  /** The characters that may come next; empty at the end. */
  #expected = valueSigns;
  /** The last name of a member; empty if it was too long to keep. */
  #name = '';
  #isInString = false;
  /** The string so far; undefined if it is too long to keep. */
  #text: string | undefined;
  /** The start of a literal or of an escape, which the next piece continues. */
  #rest = '';

  constructor(events: JsonEvents, mostUnits: number) {
    this.#events = events;
    this.#mostUnits = mostUnits;
  }

  read(piece: Uint8Array): void {
    this.#readText(this.#decoder.decode(piece, { stream: true }));
  }

  /** The methods that read a piece start at the index `at` or `from`, and return the index after the text they read. */
  #readText(piece: string): void {
    const text = this.#rest + piece;
    this.#rest = '';
    for (let at = 0; at < text.length; ) {
      at = this.#isInString ? this.#readString(text, at) : this.#readToken(text, at);
    }
  }

  end(): void {
    this.#readText(this.#decoder.decode());
    // If the whole feed is a literal, this blank ends it.
    if (this.#levels.length === 0 && !this.#isInString) this.#readText(' ');
    if (this.#expected === '') return;
    throw new TamisError('ERR_TAMIS_TRUNCATED', 'readFeed: the JSON of the feed ends too early');
  }

  #readToken(text: string, at: number): number {
    const sign = text.charAt(at);
    if (blanks.includes(sign)) return at + 1;
    const isLiteral = !signs.includes(sign);
    if (!this.#expected.includes(isLiteral ? '0' : sign)) fail();
    if (isLiteral) return this.#readLiteral(text, at);
    this.#takeSign(sign);
    return at + 1;
  }

  #readLiteral(text: string, from: number): number {
    // The test moves `lastIndex` to the literal's end. It starts after the first sign; a wrong sign fails below.
    literalPart.lastIndex = from + 1;
    literalPart.test(text);
    const end = literalPart.lastIndex;
    const part = text.slice(from, end);
    if (part.length > mostLiteral) fail();
    if (end === text.length) this.#rest = part;
    else if (literal.test(part)) this.#endValue();
    else fail();
    return end;
  }

  #takeSign(sign: string): void {
    if (sign === '"') {
      this.#isInString = true;
      this.#text = '';
    } else if (sign === ',') {
      this.#expected = this.#isInArray ? valueSigns : '"';
    } else if (sign === ':') {
      this.#expected = valueSigns;
    } else if (sign === '[' || sign === '{') {
      this.#open(sign === '[');
    } else {
      // A closing bracket. `#expected` has only the bracket that closes the open level.
      this.#levels.pop();
      this.#endValue();
      this.#events.close?.(sign === ']');
    }
  }

  get #isInArray(): boolean {
    return this.#levels.at(-1)?.isArray ?? false;
  }

  /** The member whose value comes next; for an item of an array, the member whose value is the array. */
  get #key(): string {
    const level = this.#levels.at(-1);
    return level?.isArray ? level.key : this.#name;
  }

  #open(isArray: boolean): void {
    if (this.#levels.length === mostLevels) {
      const message = `readFeed: the JSON is deeper than ${mostLevels} levels`;
      throw new TamisError('ERR_TAMIS_TOO_LARGE', message);
    }
    this.#levels.push({ isArray, key: this.#key });
    this.#expected = isArray ? `${valueSigns}]` : '"}';
    this.#events.open?.(isArray);
  }

  #endValue(): void {
    if (this.#levels.length === 0) this.#expected = '';
    else this.#expected = this.#isInArray ? ',]' : ',}';
  }

  #readString(text: string, from: number): number {
    let end = from;
    let code = 0;
    for (; end < text.length; end++) {
      code = text.charCodeAt(end);
      if (code === quote || code === backslash) break;
      if (code < 0x20) fail();
    }
    this.#keep(text.slice(from, end));
    if (end === text.length) return end;
    if (code === backslash) return this.#readEscape(text, end);
    this.#endString();
    return end + 1;
  }

  #readEscape(text: string, from: number): number {
    wholeEscape.lastIndex = from;
    if (wholeEscape.test(text)) {
      this.#keep(JSON.parse(`"${text.slice(from, wholeEscape.lastIndex)}"`));
      return wholeEscape.lastIndex;
    }
    this.#rest = text.slice(from);
    return openEscape.test(this.#rest) ? text.length : fail();
  }

  #keep(part: string): void {
    const isKept = this.#text !== undefined && this.#text.length + part.length <= this.#mostUnits;
    this.#text = isKept ? this.#text + part : undefined;
  }

  #endString(): void {
    const value = this.#text;
    this.#isInString = false;
    // Where no value may begin (and so no `[`), a string is the name of a member.
    if (!this.#expected.includes('[')) {
      this.#name = value ?? '';
      this.#expected = ':';
      return;
    }
    const key = this.#key;
    const isItem = this.#isInArray;
    this.#endValue();
    this.#events.string(value, key, isItem);
  }
}
