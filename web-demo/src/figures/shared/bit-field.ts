// Many small bits, drawn as a few paths.
import type { Mark, Tone } from './model';

export interface FieldPlace {
  /** The prefix of the paths' keys. */
  readonly name: string;
  readonly left: number;
  readonly top: number;
  readonly columns: number;
  readonly side: number;
  readonly gap: number;
  /** The distance between rows, and the height of a bit. By default both are those of a square. */
  readonly row?: number;
  readonly tall?: number;
}

export interface BitField {
  mark(key: string, bits: readonly number[], tone: Tone): Mark;
}

/** Lays out a field of bits. */
export function makeBitField(place: FieldPlace): BitField {
  const { name, left, top, columns, side, gap, row = side, tall = row - gap } = place;
  const round = (value: number) => Math.round(value * 100) / 100;
  const [width, height] = [round(side - gap), round(tall)];
  return {
    mark(key, bits, tone) {
      const parts = bits.map((bit) => {
        const x = round(left + (bit % columns) * side);
        const y = round(top + Math.floor(bit / columns) * row);
        return `M${x} ${y}h${width}v${height}h-${width}z`;
      });
      return { kind: 'path', key: `${name} ${key}`, d: parts.join(''), tone, filled: true };
    },
  };
}

/** The numbers of the set bits. */
export function indicesOf(bits: readonly boolean[]): number[] {
  return bits.flatMap((set, i) => (set ? [i] : []));
}

/** The numbers from 0 to count - 1. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
