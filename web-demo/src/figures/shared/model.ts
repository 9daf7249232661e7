// The parts of a figure. A figure is a pure function from its controls to its steps. The element in element.ts
// does the rest.

/** The role of a mark. The style sheet gives each a colour and a shape that needs no colour. */
export type Tone =
  | 'off'
  | 'on'
  | 'looked'
  | 'looked-on'
  | 'hit'
  | 'miss'
  | 'wrong'
  | 'new'
  | 'locked'
  | 'faint'
  | 'second'
  | 'soft'
  | 'ground'
  | 'blend'
  | 'fine';

/** One shape of a drawing, in CSS pixels. A key that two steps share is one shape, which moves. */
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
        /** The Tab key reaches this cell first. */
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
      /** In CSS pixels; 13 without it. */
      readonly size?: number;
      /** All characters have one width. */
      readonly mono?: boolean;
    }
  | {
      readonly kind: 'path';
      readonly key: string;
      /** The path's origin; 0 without it. */
      readonly x?: number;
      readonly y?: number;
      /** The data of an SVG path. */
      readonly d: string;
      readonly tone: Tone;
      /** Filled, and not drawn as a line. */
      readonly filled?: boolean;
      /** For the tone `blend`: the place between its two colours, from 0 to 1. */
      readonly share?: number;
    };

export interface Scene {
  readonly height: number;
  readonly marks: readonly Mark[];
}

/** The package's answer, as the reader judges it. `wrong` is a false positive or a false negative. */
export type Verdict = 'absent' | 'probable' | 'wrong' | 'refused';

export interface Step {
  /** One to three sentences on what happens here. They are shown, and screen readers read them. */
  readonly caption: string;
  /** The answer in a few words, if there is one. */
  readonly answer?: { readonly verdict: Verdict; readonly words: string };
  /** Draws the step for a width in CSS pixels. `pressed` is the key of the cell that the reader pressed. */
  scene(width: number, pressed?: string): Scene;
  /** The drawing in words, a line each. */
  readonly text: readonly string[];
}

export type Control =
  | {
      readonly kind: 'text';
      readonly name: string;
      readonly label: string;
      /** Values to try, each with what it shows. */
      readonly picks?: readonly Choice[];
      /** The most characters; 40 without it. */
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
  /** The values before anybody touches a control; one for each control. */
  readonly initial: State;
  controls(state: State): readonly Control[];
  /** At least one. */
  steps(state: State, data: FigureData): readonly Step[] | Promise<readonly Step[]>;
}

/** The data that a site hands to its figures. */
export interface FigureData {
  /** The address of the filter of phishing hosts. A description in JSON lies beside it. */
  readonly listUrl: string;
}
