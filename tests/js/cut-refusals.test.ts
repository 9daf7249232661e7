// Input that the cutter in js/scripts/wasm refuses, such as the output of a newer Emscripten in docs/project/build.md.
// The golden files show input that it cuts wrongly.

import { beforeAll, describe, expect, test } from '@jest/globals';
import { cutBy, link, scripts } from './support/linked.js';

const { name, number, Reader, section, sized } = await import(`${scripts}binary.mjs`);

let linked: Buffer<ArrayBuffer>;
beforeAll(() => {
  linked = link();
});

describe('what is refused', () => {
  /** The module with the section changed that has this id or name. */
  function changed(wanted: number | string, change: (body: Buffer) => Uint8Array): Buffer {
    const reader = new Reader(linked, 8);
    const sections = [linked.subarray(0, 8)];
    let found = false;
    while (reader.at < linked.length) {
      const id = reader.byte();
      const end = reader.number() + reader.at;
      const from = reader.at;
      const own = id === 0 ? reader.name() : id;
      const head = linked.subarray(from, reader.at);
      const body = Buffer.from(linked.subarray(reader.at, end));
      sections.push(section(id, Buffer.concat([head, own === wanted ? change(body) : body])));
      found ||= own === wanted;
      reader.at = end;
    }
    expect(found).toBe(true);
    return Buffer.concat(sections);
  }

  /** Changes the byte that lies `after` behind the two numbers in front of the relocations. */
  const relocated = (after: number, change: (byte: number) => number) => (body: Buffer) => {
    const reader = new Reader(body);
    reader.number();
    reader.number();
    const at = reader.at + after;
    body.writeUInt8(change(body.readUInt8(at)), at);
    return body;
  };

  /** Puts another name into the place of one, which may be of another length. */
  const renamed = (from: string, by: string) => (body: Buffer) => {
    const at = body.indexOf(name(from));
    expect(at).toBeGreaterThanOrEqual(0);
    return Buffer.concat([body.subarray(0, at), name(by), body.subarray(at + name(from).length)]);
  };

  /** Makes a symbol of data as small as this. */
  const shrunk = (symbol: string, size: number) => (body: Buffer) => {
    const reader = new Reader(body, body.indexOf(name(symbol)));
    reader.name();
    reader.number();
    reader.number();
    body[reader.at] = size;
    return body;
  };

  /** Changes the table of symbols, which is the first in its section. */
  const tableChanged = (change: (count: number, rest: Buffer) => Buffer) => (body: Buffer) => {
    const reader = new Reader(body, 2);
    const end = reader.number() + reader.at;
    const made = change(reader.number(), body.subarray(reader.at, end));
    return Buffer.concat([body.subarray(0, 2), sized(made), body.subarray(end)]);
  };

  test.each<[string, () => Buffer, RegExp]>([
    [
      'a relocation of code of a type that is not known',
      () =>
        changed(
          'reloc.CODE',
          relocated(0, () => 9),
        ),
      /relocation 9, in \w+, is not known/,
    ],
    [
      'a relocation of data of a type that is not known',
      () =>
        changed(
          'reloc.DATA',
          relocated(0, () => 11),
        ),
      /relocation 11, in (ribbon|exact|cuckoo), is not known/,
    ],
    [
      'code that was rewritten after the link',
      () =>
        changed(
          'reloc.CODE',
          relocated(1, (low) => low ^ 2),
        ),
      /a relocation of \w+ does not fit/,
    ],
    [
      'data that was rewritten after the link',
      () =>
        changed(
          'reloc.DATA',
          relocated(1, (low) => low + 1),
        ),
      /a relocation of (ribbon|exact|cuckoo) does not fit/,
    ],
    [
      'a byte of data that no symbol covers',
      () => changed('linking', shrunk('covered', 4)),
      /no symbol covers the byte at \d+, near covered/,
    ],
    [
      'a symbol that is written in another way',
      () =>
        changed(
          'linking',
          tableChanged((count, rest) => Buffer.concat([number(count), rest, Buffer.of(0)])),
        ),
      /a symbol is of a kind that is not known/,
    ],
    [
      'a section that is not known',
      () => Buffer.concat([linked, section(8, number(0))]),
      /section 8 is not known/,
    ],
    [
      'an import that the loader does not give',
      () => changed(2, renamed('_embind_register_function', 'missing')),
      /(load_base|of_Retrieval) needs a call of missing, which the loader does not give/,
    ],
    [
      'two exports of one name',
      () => changed(7, renamed('cuckoo:_only', 'cuckoo:_ask')),
      /two exports are called _ask/,
    ],
  ])('%s', (_what, change, message) => {
    expect(() => cutBy(change())).toThrow(message);
  });

  test('a static constructor', () => {
    expect(() => cutBy(link('-DCONSTRUCTOR'))).toThrow(
      /static constructors, which no part runs: begin_early/,
    );
  });

  test('an import whose address is taken, and an export that another part calls', () => {
    const bytes = link('-DREFUSED');
    const without = (dropped: string) => (part: string) => (part === dropped ? undefined : part);
    expect(() => cutBy(bytes, { partOf: without('caller') })).toThrow(
      /take needs a slot of _embind_register_function, which the loader does not give/,
    );
    expect(() => cutBy(bytes, { partOf: without('taker') })).toThrow(
      /_only, of cuckoo, lies in filters/,
    );
  });

  test('a base that needs something of a part', () => {
    expect(() => cutBy(linked, { families: { base: /Retrieval/ } })).toThrow(
      /the base needs of_all, of filters/,
    );
  });

  test('no symbol that is absolute', () => {
    // An address that the linker chose may be anywhere, and in the midst of data.
    const symbol = [0x200, 0, 6, 4].map(number);
    const absolute = Buffer.concat([
      Buffer.of(1),
      symbol[0],
      name('__heap_base'),
      ...symbol.slice(1),
    ]);
    const bytes = changed(
      'linking',
      tableChanged((count, rest) => Buffer.concat([number(count + 1), rest, absolute])),
    );
    expect(cutBy(bytes)).toEqual(cutBy(linked));
  });
});
