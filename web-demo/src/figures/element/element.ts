// The element around a figure: its controls, its steps, its words. Its contents come from a FigureType.

import fieldRules from '../../../styles/fields.css?inline';
import { make, prefersReducedMotion } from '../../dom';
import { messageOf } from '../../format';
import type { FigureData, FigureType, State, Step } from '../shared/model';
import { ControlsView } from './controls';
import { drawScene } from './draw';
import { type Frame, makeFrame } from './frame';
import frameRules from './frame.css?inline';
import { readLink, writeLink } from './link';
import markRules from './marks.css?inline';
import { stayOf } from './pace';
import { Presses } from './press';

type Loaders = Readonly<Record<string, () => Promise<{ readonly figure: FigureType }>>>;

/** The time from the last change until the address is written. Browsers refuse too frequent changes of the address. */
const WRITE_MS = 300;

export function defineElement(loaders: Loaders, data: FigureData): void {
  if (customElements.get('tamis-figure')) return;
  const sheets = [fieldRules, frameRules, markRules].map((rules) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    return sheet;
  });

  class TamisFigure extends HTMLElement {
    #player: Player | undefined;
    #watcher: IntersectionObserver | undefined;
    #loading = false;

    connectedCallback(): void {
      if (this.#loading) return;
      this.#shadow.adoptedStyleSheets = sheets;
      this.#watcher = new IntersectionObserver(
        (entries) => {
          if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
          this.#watcher?.disconnect();
          void this.#load();
        },
        { rootMargin: '200px' },
      );
      this.#watcher.observe(this);
    }

    disconnectedCallback(): void {
      this.#watcher?.disconnect();
      this.#player?.stop();
    }

    get #shadow(): ShadowRoot {
      if (this.shadowRoot) return this.shadowRoot;
      const root = this.attachShadow({ mode: 'open' });
      // Without it, all figures of a page would be in view at once, and all would be fetched.
      root.append(make('div', 'room'));
      return root;
    }

    async #load(): Promise<void> {
      this.#loading = true;
      const type = this.getAttribute('type') ?? '';
      const load = loaders[type];
      if (!load) throw new Error(`there is no figure of type '${type}'`);
      const { figure } = await load();
      const frame = makeFrame(figure);
      this.#player = new Player(type, figure, frame, data);
      await this.#player.start();
      this.#shadow.replaceChildren(frame.root);
      this.#player.fit();
    }
  }
  customElements.define('tamis-figure', TamisFigure);
}

/** Goes through the steps of one figure. */
class Player {
  readonly #type: string;
  readonly #figure: FigureType;
  readonly #frame: Frame;
  readonly #data: FigureData;
  readonly #controls: ControlsView;
  readonly #presses: Presses;
  #state: State;
  #steps: readonly Step[] = [];
  #index = 0;
  #width = 0;
  /** The key of the cell that the reader pressed. */
  #pressed: string | undefined;
  #playing: ReturnType<typeof setTimeout> | undefined;
  #writing: ReturnType<typeof setTimeout> | undefined;
  /** The number of changes of state. Steps of an earlier state that arrive late are dropped. */
  #turn = 0;

  constructor(type: string, figure: FigureType, frame: Frame, data: FigureData) {
    this.#type = type;
    this.#figure = figure;
    this.#frame = frame;
    this.#data = data;
    this.#state = figure.initial;
    this.#controls = new ControlsView(frame.controls, (name, value) =>
      this.#change({ ...this.#state, [name]: value }),
    );
    this.#presses = new Presses(frame.svg, (key) => this.#press(key));
    frame.play.addEventListener('click', () => this.#toggle());
    frame.back.addEventListener('click', () => this.#go(this.#index - 1));
    frame.step.addEventListener('click', () => this.#go(this.#index + 1));
    frame.reset.addEventListener('click', () => void this.#reset());
    frame.scrubber.addEventListener('input', () => this.#go(Number(frame.scrubber.value)));
    new ResizeObserver(() => this.fit()).observe(frame.picture);
  }

  /** Draws for the present width of the figure. */
  fit(): void {
    const width = Math.floor(this.#frame.picture.clientWidth);
    if (width === this.#width) return;
    this.#width = width;
    this.#frame.reserve(this.#steps);
    this.#draw();
  }

  /** Shows the state in the address, or the initial state. */
  async start(): Promise<void> {
    const linked = readLink(location.search, this.#type, this.#figure.initial);
    const first = this.#figure.opensAtEnd ? Number.MAX_SAFE_INTEGER : 0;
    await this.#show(this.#correct(linked.state), linked.step ?? first);
  }

  /** Corrects a state from an address, whose choices may be invalid. */
  #correct(state: State): State {
    const { initial } = this.#figure;
    const wrong = this.#figure
      .controls(state)
      .filter((control) => control.kind === 'choice')
      .filter(({ name, choices }) => !choices.some(({ value }) => value === state[name]));
    return {
      ...state,
      ...Object.fromEntries(wrong.map(({ name }) => [name, initial[name] ?? ''])),
    };
  }

  stop(): void {
    clearTimeout(this.#playing);
    clearTimeout(this.#writing);
    this.#playing = undefined;
    this.#frame.play.textContent = 'Play';
    this.#frame.hush(false);
  }

  /** Takes over a state. Returns false if a later state overtook it. */
  async #show(state: State, index: number): Promise<boolean> {
    this.#turn++;
    const turn = this.#turn;
    this.#state = state;
    this.#frame.showBusy(true);
    this.#controls.show(this.#figure.controls(state), state);
    let steps: readonly Step[];
    try {
      steps = await this.#figure.steps(state, this.#data);
    } catch (error) {
      // The figure failed, for example because a text is no key, or because a list did not arrive. Nothing is drawn
      // then.
      if (turn !== this.#turn) return false;
      this.stop();
      this.#steps = [];
      this.#frame.showBusy(false);
      this.#frame.showTrouble(messageOf(error));
      return false;
    }
    if (turn !== this.#turn) return false;
    this.#steps = steps;
    this.#index = Math.min(index, steps.length - 1);
    this.#frame.reserve(steps);
    this.#update();
    this.#frame.showBusy(false);
    return true;
  }

  async #change(state: State): Promise<void> {
    this.stop();
    this.#frame.announce();
    const still = prefersReducedMotion();
    if (!(await this.#show(state, still ? Number.MAX_SAFE_INTEGER : 0))) return;
    this.#writeSoon();
    if (!still) this.#toggle();
  }

  async #reset(): Promise<void> {
    this.stop();
    this.#frame.announce();
    if (await this.#show(this.#figure.initial, 0)) this.#writeSoon();
  }

  #toggle(): void {
    if (this.#playing !== undefined) {
      this.stop();
      return;
    }
    if (this.#steps.length === 0) return;
    this.#frame.announce();
    const last = this.#steps.length - 1;
    if (last === 0) return;
    // Reading a caption aloud takes longer than the step stays. So only the last caption is read aloud.
    this.#frame.hush(true);
    if (this.#index === last) this.#move(0);
    this.#frame.play.textContent = 'Pause';
    this.#playOn();
  }

  /** Goes to the next step once this one has stayed long enough, and so on to the last. */
  #playOn(): void {
    const step = this.#steps[this.#index];
    if (!step) return;
    this.#playing = setTimeout(() => {
      const next = this.#index + 1;
      if (next === this.#steps.length - 1) this.stop();
      this.#move(next);
      if (this.#playing !== undefined) this.#playOn();
    }, stayOf(step));
  }

  /** Shows more of a cell, or stops showing it. */
  #press(key: string | undefined): void {
    this.stop();
    this.#pressed = key;
    this.#draw();
  }

  /** Shows a step that the reader chose. Captions are read aloud from then on. */
  #go(index: number): void {
    this.stop();
    if (this.#steps.length === 0) return;
    this.#frame.announce();
    this.#move(index);
  }

  #move(index: number): void {
    this.#index = Math.max(0, Math.min(index, this.#steps.length - 1));
    this.#update();
    this.#writeSoon();
  }

  #update(): void {
    this.#pressed = undefined;
    const step = this.#steps[this.#index];
    if (step) this.#frame.showStep(step, this.#index, this.#steps.length);
    this.#draw();
  }

  #draw(): void {
    const step = this.#steps[this.#index];
    if (this.#width === 0 || !step) return;
    const scene = step.scene(this.#width, this.#pressed);
    drawScene(this.#frame.svg, scene, this.#width);
    this.#presses.update(scene);
  }

  #writeSoon(): void {
    clearTimeout(this.#writing);
    this.#writing = setTimeout(() => {
      const search = writeLink(location.search, this.#type, this.#state, this.#index);
      history.replaceState(history.state, '', search + location.hash);
    }, WRITE_MS);
  }
}
