// The parts of a figure. A figure is a pure function from its controls to its steps. The element in element.ts does the
// rest.

/** The role of a mark. The style sheet gives each role a colour, and a shape that is clear without the colour. */
export type Tone =
  | 'off'
  | 'on'
  | 'looked'
  | 'looked-on'
  | 'hit'
  | 'miss'
  | 'wrong'
  | 'new'
  | 'faint'
  | 'second'
  | 'ground';

/** One shape of a drawing, in CSS pixels. If two steps share a key, its shape moves between them. */
export type Mark =
  | {
      readonly kind: 'cell';
      readonly key: string;
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly tone: Tone;
      readonly text?: string;
      /** A cell that the reader can press, and its words for screen readers. */
      readonly press?: {
        readonly label: string;
        readonly pressed: boolean;
        /** True if the Tab key reaches this cell first. */
        readonly first?: boolean;
      };
    }
  | {
      readonly kind: 'text';
      readonly key: string;
      readonly x: number;
      readonly y: number;
      readonly text: string;
      readonly tone?: Tone;
      readonly anchor?: 'start' | 'middle' | 'end';
      readonly bold?: boolean;
      /** The size in CSS pixels, 13 by default. */
      readonly size?: number;
      /** True if all characters have the same width. */
      readonly mono?: boolean;
    }
  | {
      readonly kind: 'path';
      readonly key: string;
      /** The path's origin, 0 by default. */
      readonly x?: number;
      readonly y?: number;
      /** The data of an SVG path. */
      readonly d: string;
      readonly tone: Tone;
      /** True if the path is filled, and not drawn as a line. */
      readonly filled?: boolean;
    };

export interface Scene {
  readonly height: number;
  readonly marks: readonly Mark[];
}

/** The package's answer, as the reader judges it: `wrong` is a false positive or a false negative. */
export type Verdict = 'absent' | 'probable' | 'wrong' | 'refused';

export interface Step {
  /** The events of the step, in one to three sentences. They are shown, and read to screen readers. */
  readonly caption: string;
  /** The answer in a few words, if there is one. */
  readonly answer?: { readonly verdict: Verdict; readonly words: string };
  /** Draws the step for a width in CSS pixels. `pressed` is the key of the cell that the reader pressed. */
  scene(width: number, pressed?: string): Scene;
  /** The drawing in words, one line each. */
  readonly text: readonly string[];
}

export type Control =
  | {
      readonly kind: 'text';
      readonly name: string;
      readonly label: string;
      /** Values to try, each with a description. */
      readonly picks?: readonly Choice[];
      /** The maximum number of characters, 40 by default. */
      readonly longest?: number;
    }
  | {
      readonly kind: 'choice';
      readonly name: string;
      readonly label: string;
      readonly choices: readonly Choice[];
    };

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The values of the controls, by name. */
export type State = Readonly<Record<string, string>>;

export interface FigureType {
  /** The figure's name for screen readers. */
  readonly title: string;
  /** The initial values, one for each control. */
  readonly initial: State;
  /** True if the figure opens at its last step, as a picture of the outcome. */
  readonly opensAtEnd?: boolean;
  controls(state: State): readonly Control[];
  /** Returns the steps, at least one. */
  steps(state: State, data: FigureData): readonly Step[] | Promise<readonly Step[]>;
}

/** The data that a site hands to its figures. */
export interface FigureData {
  /** The address of the phishing hosts' filter. A description in JSON is next to it. */
  readonly listUrl: string;
}
