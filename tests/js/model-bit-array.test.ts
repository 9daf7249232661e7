/** Random histories of a bit array against a list of bits. */
import { expect, test } from '@jest/globals';
import { BitArray } from 'tamis';
import { budget } from './support/budget.js';
import { expectSame } from './support/bytes.js';
import { fc } from './support/fast-check.js';

interface BitsModel {
  bits: Uint8Array;
}
interface BitsReal {
  array: BitArray;
}

function bitCommands(length: number): fc.Arbitrary<fc.Command<BitsModel, BitsReal>>[] {
  const index = fc.nat(length - 1);
  const pattern = fc.array(index, { maxLength: 20 });
  const built = (on: readonly number[]): BitArray => {
    const array = new BitArray(length);
    for (const i of on) array.set(i);
    return array;
  };
  const command = (
    name: string,
    run: (model: BitsModel, real: BitsReal) => void,
  ): fc.Command<BitsModel, BitsReal> => ({
    check: () => true,
    run(model, real) {
      run(model, real);
      expect(real.array.toString()).toBe(model.bits.join(''));
      expect(real.array.count).toBe(model.bits.reduce((sum, bit) => sum + bit, 0));
      real.array.validate();
      using copy = BitArray.fromBytes(real.array.toBytes());
      expectSame(copy.toBytes(), real.array.toBytes());
    },
    toString: () => name,
  });
  return [
    index.map((i) =>
      command(`set ${i}`, (model, { array }) => {
        array.set(i);
        model.bits[i] = 1;
      }),
    ),
    index.map((i) =>
      command(`unset ${i}`, (model, { array }) => {
        array.unset(i);
        model.bits[i] = 0;
      }),
    ),
    index.map((i) =>
      command(`toggle ${i}`, (model, { array }) => {
        model.bits[i] = 1 - (model.bits[i] as number);
        expect(array.toggle(i)).toBe(model.bits[i] === 1);
      }),
    ),
    fc.constant(
      command('clear', (model, { array }) => {
        array.clear();
        model.bits.fill(0);
      }),
    ),
    index.map((i) =>
      command(`has ${i}`, (model, { array }) => {
        expect(array.has(i)).toBe(model.bits[i] === 1);
      }),
    ),
    pattern.map((on) =>
      command(`merge ${on.join()}`, (model, { array }) => {
        using other = built(on);
        array.merge(other);
        for (const i of on) model.bits[i] = 1;
      }),
    ),
    pattern.map((on) =>
      command(`intersect ${on.join()}`, (model, { array }) => {
        using other = built(on);
        array.intersect(other);
        model.bits = model.bits.map((bit, i) => (on.includes(i) ? bit : 0));
      }),
    ),
    fc.constant(
      command('save and load', (_model, real) => {
        const bytes = real.array.toBytes();
        real.array.dispose();
        real.array = BitArray.fromBytes(bytes);
      }),
    ),
    fc.constant(
      command('go on with a clone', (_model, real) => {
        const copy = real.array.clone();
        for (let i = 0; i < length; i += 3) real.array.toggle(i);
        real.array.dispose();
        real.array = copy;
      }),
    ),
  ];
}

test.each([1, 8, 64, 65, 200])('bit array of %d', (length) => {
  const commands = fc.commands(bitCommands(length), { maxCommands: 200, size: 'max' });
  fc.assert(
    fc.property(commands, (steps) => {
      const real: BitsReal = { array: new BitArray(length) };
      fc.modelRun(() => ({ model: { bits: new Uint8Array(length) }, real }), steps);
      real.array.dispose();
    }),
    { numRuns: budget(20, 5), endOnFailure: true },
  );
});
