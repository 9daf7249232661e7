// Scalable Bloom filter: mirrors cpp/include/tamis/filters/scalable_bloom.hpp.

import { between, integer } from '../core/options.js';
import { type CapacityOptions, capacityReaders, construct } from '../core/structures/building.js';
import type { Definition } from '../core/structures/definition.js';
import { type MutableClass, MutableFilter, whyFull } from '../core/structures/growing.js';
import {
  figure,
  growthFigure,
  layersFigure,
  scalableBloomId,
  tighteningFigure,
} from '../core/structures/structure.js';
import { scalableBloom } from '../wasm/parts/scalable-bloom.js';

/**
 * The options of `new ScalableBloomFilter`. `fpr` is at least 2^-32. No layer can have a rate below 2^-40, so with a
 * low `fpr` and a low `tightening`, `add` throws ERR_TAMIS_FULL after few layers.
 */
export interface ScalableBloomOptions extends CapacityOptions {
  /**
   * The capacity of each layer divided by that of the layer before, 1 to 16; default 2. With 1 all layers are equal: a
   * look-up reads them all, and after 64 layers `add` throws ERR_TAMIS_FULL.
   */
  readonly growth?: number;
  /** Each layer has the rate of the layer before, times this factor, 0.5 to 0.99; default 0.85. */
  readonly tightening?: number;
}

/**
 * A filter that grows with its keys and keeps its rate. `fpr` defaults to 0.01.
 *
 * It has layers of Bloom filters, each larger and with a lower rate than the one before. Choose it if the number of
 * keys is not known. At 1 % a key takes 15 to 18 bits in full layers, and 36 to 48 when a new layer begins. A
 * BloomFilter of the right size takes 10. `capacity` is that of the first layer. `fpr` bounds the rate of all layers
 * together. `count` is the number of keys added, without those for which `has` was true before.
 *
 * Almeida, Baquero, Preguica and Hutchison, Information Processing Letters 101(6), 2007.
 *
 * @example
 * import { ScalableBloomFilter } from 'tamis';
 * const seen = new ScalableBloomFilter({ capacity: 100 });
 * for (let i = 0; i < 10_000; i++) seen.add(`key-${i}`);
 * seen.layers; // => 7
 * seen.estimatedFpr < seen.fpr; // => true
 */
export class ScalableBloomFilter extends (MutableFilter as MutableClass<
  ScalableBloomFilter,
  'scalable-bloom',
  ScalableBloomOptions
>) {
  /** @internal */
  static define(): Definition {
    return {
      type: 'scalable-bloom',
      id: scalableBloomId,
      part: scalableBloom,
      name: 'ScalableBloomFilter',
      construct,
      keyMessages: whyFull,
      shown: ['layers', 'growth', 'tightening'],
      readers: { ...capacityReaders(), growth: integer(1, 16), tightening: between(0.5, 0.99) },
      refusal: 'fpr must be at least 2^-32',
    };
  }

  /** The number of layers so far, 1 to 64. */
  get layers(): number {
    return figure(this, layersFigure);
  }

  /** The capacity of each layer divided by that of the layer before. */
  get growth(): number {
    return figure(this, growthFigure);
  }

  /** Each layer has the rate of the layer before, times this factor. */
  get tightening(): number {
    return figure(this, tighteningFigure);
  }
}
