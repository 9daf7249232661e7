// Refusals of the cutter in js/scripts/wasm. A cut could break anything that the cutter does not know.

import { beforeAll, describe, expect, test } from '@jest/globals';
import { cutBy, link, scripts } from './support/linked.js';

const { name, number, Reader, section, sized } = await import(`${scripts}binary.mjs`);

let linked: Buffer<ArrayBuffer>;
beforeAll(() => {
  linked = link();
});

describe('what is refused', () => {
  /** The module with the section changed that has this id or name, or without it. */
  function changed(wanted: number | string, change?: (body: Buffer) => Uint8Array): Buffer {
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
      if (own !== wanted) sections.push(section(id, Buffer.concat([head, body])));
      else if (change) sections.push(section(id, Buffer.concat([head, change(body)])));
      found ||= own === wanted;
      reader.at = end;
    }
    expect(found).toBe(true);
    return Buffer.concat(sections);
  }

  /** Changes the byte that lies `after` behind the numbers in front. */
  const byteBehind =
    (numbers: number, after: number, change: (byte: number) => number) => (body: Buffer) => {
      const reader = new Reader(body);
      for (let i = 0; i < numbers; i++) reader.number();
      const at = reader.at + after;
      body.writeUInt8(change(body.readUInt8(at)), at);
      return body;
    };
  const to = (byte: number) => () => byte;

  /** Puts other bytes into the place of some, which may be of another length. */
  const replaced = (from: Buffer, by: Buffer) => (body: Buffer) => {
    const at = body.indexOf(from);
    expect(at).toBeGreaterThanOrEqual(0);
    return Buffer.concat([body.subarray(0, at), by, body.subarray(at + from.length)]);
  };
  const indexed = (symbol: string, index: number) =>
    replaced(
      Buffer.concat([Buffer.of(0), name(symbol)]),
      Buffer.concat([Buffer.of(index), name(symbol)]),
    );
  const renamed = (from: string, by: string) => replaced(name(from), name(by));

  /** Changes a symbol of data from its kind to its size, all of a byte but the flags. */
  const symbolChanged =
    (symbol: string, { kind, size }: { kind?: number; size?: number }) =>
    (body: Buffer) => {
      const at = body.indexOf(name(symbol));
      const reader = new Reader(body, at);
      reader.name();
      reader.number();
      reader.number();
      if (size !== undefined) body[reader.at] = size;
      // `covered` is exported and so has flags of two bytes.
      if (kind !== undefined) body[at - 3] = kind;
      return body;
    };

  /** Changes the table of symbols, which is the first in its section. */
  const tableChanged = (change: (count: number, rest: Buffer) => Buffer) => (body: Buffer) => {
    const reader = new Reader(body, 2);
    const end = reader.number() + reader.at;
    const made = change(reader.number(), body.subarray(reader.at, end));
    return Buffer.concat([body.subarray(0, 2), sized(made), body.subarray(end)]);
  };
  const symbol = (text: string, ...numbers: number[]) =>
    Buffer.concat([Buffer.of(1), number(0x200), name(text), ...numbers.map(number)]);

  const withImport =
    (kind: number, ...type: number[]) =>
    (body: Buffer) =>
      Buffer.concat([
        number(2),
        body.subarray(1),
        name('env'),
        name('odd'),
        Buffer.of(kind, ...type),
      ]);

  test.each<[string, () => Buffer, RegExp]>([
    [
      'a relocation of code of a type that is not known',
      () => changed('reloc.CODE', byteBehind(2, 0, to(9))),
      /relocation 9, in \w+, is not known/,
    ],
    [
      'a relocation of data of a type that is not known',
      () => changed('reloc.DATA', byteBehind(2, 0, to(11))),
      /relocation 11, in (ribbon|exact|cuckoo), is not known/,
    ],
    [
      'a call in data',
      () => changed('reloc.DATA', byteBehind(2, 0, to(0))),
      /relocation 0, in (ribbon|exact|cuckoo), is not known/,
    ],
    [
      'a slot in code that is not of a number',
      () => changed('reloc.CODE', byteBehind(2, 0, to(2))),
      /relocation 2, in \w+, is not known/,
    ],
    [
      'code that was rewritten after the link',
      () =>
        changed(
          'reloc.CODE',
          byteBehind(2, 1, (low) => low ^ 2),
        ),
      /a relocation of \w+ does not fit/,
    ],
    [
      'data that was rewritten after the link',
      () =>
        changed(
          'reloc.DATA',
          byteBehind(2, 1, (low) => low + 1),
        ),
      /a relocation of (ribbon|exact|cuckoo) does not fit/,
    ],
    [
      'another global than the stack pointer',
      () => changed('linking', indexed('__stack_pointer', 1)),
      /\w+ uses the global __stack_pointer; only the stack pointer is known/,
    ],
    [
      'a byte of data that no symbol covers',
      () => changed('linking', symbolChanged('covered', { size: 4 })),
      /no symbol covers the byte at \d+, near covered/,
    ],
    [
      'a relocation where no symbol covers the data',
      () => changed('linking', symbolChanged('ribbon', { size: 2 })),
      /no symbol covers the byte at \d+, near ribbon/,
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
      'another version of the section of symbols',
      () => changed('linking', byteBehind(0, 0, to(3))),
      /version 2 of the section `linking` expected/,
    ],
    ['no section of symbols', () => changed('linking'), /no section linking/],
    ['no relocations', () => changed('reloc.CODE'), /no section reloc\.CODE/],
    ...[8, 12, 13].map((id): [string, () => Buffer, RegExp] => [
      `section ${id}, of a start, a count of data or tags`,
      () => Buffer.concat([linked, section(id, number(0))]),
      new RegExp(`section ${id} is not known`),
    ]),
    ...[
      [1, 0x70, 0, 1],
      [2, 0, 1],
      [3, 0x7f, 1],
      [4, 0, 0],
    ].map(([kind = 0, ...type]): [string, () => Buffer, RegExp] => [
      `an import of kind ${kind}`,
      () => changed(2, withImport(kind, ...type)),
      /odd, imported, is no function/,
    ]),
    [
      'an import that the loader does not give',
      () => changed(2, renamed('_embind_register_function', 'missing')),
      /(load_base|of_two) needs a call of missing, which the loader does not give/,
    ],
    [
      'an export of a kind that is not known',
      () =>
        changed(
          7,
          replaced(
            Buffer.concat([name('base:_ask'), Buffer.of(0)]),
            Buffer.concat([name('base:_ask'), Buffer.of(4)]),
          ),
        ),
      /base:_ask, exported, is of kind 4/,
    ],
    [
      'two exports of one name',
      () => changed(7, renamed('cuckoo:_only', 'cuckoo:_ask')),
      /two exports are called _ask/,
    ],
    [
      'an export that is called as what the cutter writes',
      () => changed(7, renamed('cuckoo:_only', 'cuckoo:load')),
      /two exports are called load/,
    ],
    [
      'an export that is called as a function that modules share',
      () => changed(7, renamed('cuckoo:_only', 'cuckoo:0')),
      /two exports are called 0/,
    ],
    ...[1, 2].map((flags): [string, () => Buffer, RegExp] => [
      `a data segment that is ${['', 'passive', "of a memory's number"][flags]}`,
      () => changed(11, byteBehind(1, 0, to(flags))),
      /an active data segment expected/,
    ]),
    [
      'a data segment whose place is no constant',
      () => changed(11, byteBehind(2, 0, to(0x23))),
      /a constant expected/,
    ],
    ...[1, 2, 3, 4].map((flags): [string, () => Buffer, RegExp] => [
      `an element segment of kind ${flags}`,
      () => changed(9, byteBehind(1, 0, to(flags))),
      /an element segment of the first table expected/,
    ]),
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
    expect(() => cutBy(linked, { families: { base: ['ribbon', 'exact'] } })).toThrow(
      /the base needs of_all, of filters/,
    );
  });

  test('no symbol that is absolute', () => {
    // An address that the linker chose may be anywhere, and in the midst of data.
    const bytes = changed(
      'linking',
      tableChanged((count, rest) =>
        Buffer.concat([number(count + 1), rest, symbol('__heap_base', 0, 6, 4)]),
      ),
    );
    expect(cutBy(bytes)).toEqual(cutBy(linked));
  });
});
