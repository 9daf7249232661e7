import assert from 'node:assert/strict';
import { openPage, shareDemo } from '../demo-page.mjs';

const shared = shareDemo();

/** Opens the page of all figures. Motion is reduced unless an option says otherwise: nothing moves unless a test steps. */
export async function openFigures(t, { search = '', ...options } = {}) {
  const viewport = { width: 1100, height: 900 };
  const { page } = await openPage(t, shared, `figures.html${search}`, { viewport, ...options });
  return page;
}

/** The names and the labels of the buttons that fill a text field. */
export const picksOf = (figure, name) =>
  figure
    .find(`button[data-name="${name}"]`)
    .evaluateAll((buttons) => buttons.map(({ value, textContent }) => [value, textContent]));

/** The first line of a step's text that starts so. */
export const lineOf = (step, start) => step.text.find((line) => line.startsWith(start));

export const numbersOf = (line) => (line.match(/\d+/g) ?? []).map(Number);

/** The items of a list in words. */
export const listed = (line) => line.replace(/\.$/, '').split(/, | and /);

/** The query string that links to a state of a figure. */
export function linkTo(type, state) {
  return `?${new URLSearchParams({ [type]: String(new URLSearchParams(state)) })}`;
}

/** What a figure shows; it runs in the page. */
function readFigure(root) {
  const all = (selector) => [...root.querySelectorAll(selector)];
  const [place, caption, answer] = ['.place', '.caption', '.answer'].map(
    (selector) => root.querySelector(selector).textContent,
  );
  return {
    place,
    caption,
    answer,
    verdict: root.querySelector('.answer').dataset.verdict,
    text: all('.as-text li').map((line) => line.textContent),
    marks: all('svg > g').map((group) => ({
      key: group.dataset.key,
      kind: group.classList[0],
      tone: group.classList[1].slice('tone-'.length),
      text: group.textContent,
    })),
  };
}

/** The figure of a type. Every method waits until the figure shows its steps. */
export function figureOf(page, type) {
  const host = page.locator(`tamis-figure[type="${type}"]`);
  const find = (selector) => host.locator(selector);

  async function ready() {
    const picture = find('.picture:not([aria-busy])');
    // Scrolling takes frames. A figure that is in view needs no scrolling.
    if ((await picture.count()) > 0) return;
    await host.scrollIntoViewIfNeeded();
    await picture.waitFor();
  }
  /** Changes a part of the figure in the page, which handles it at once. */
  async function act(selector, change, value) {
    await ready();
    await find(selector).evaluate(change, value);
    await ready();
  }
  const click = (selector) => act(selector, (button) => button.click());
  const scrub = (to) =>
    act(
      '.scrubber',
      (scrubber, to) => {
        scrubber.value = scrubber[to];
        scrubber.dispatchEvent(new Event('input'));
      },
      to,
    );

  const figure = {
    ready,
    /** A part of the figure, by its selector. */
    find,
    next: () => click('.step'),
    back: () => click('.back'),
    home: () => scrub('min'),
    end: () => scrub('max'),
    play: () => click('.play'),
    reset: () => click('.reset'),
    /**
     * The step that is shown: its `place`, such as '3 of 7', its `caption`, its `answer` ('' if there is none) with
     * the `verdict` ('absent', 'probable', 'wrong', 'refused' or 'none'), its `text`, and the `marks` of the drawing.
     */
    async here() {
      await ready();
      return find('.figure').evaluate(readFigure);
    },
    caption: async () => (await figure.here()).caption,
    answer: async () => (await figure.here()).answer,
    verdict: async () => (await figure.here()).verdict,
    place: async () => (await figure.here()).place,
    text: async () => (await figure.here()).text,
    marks: async () => (await figure.here()).marks,
    /** Fills a text field, and takes that over. */
    set: (name, value) =>
      act(
        `input[name="${name}"]`,
        (field, value) => {
          field.value = value;
          field.dispatchEvent(new Event('change'));
        },
        value,
      ),
    /** Presses one of the buttons of a control. */
    pick: (name, value) => click(`button[data-name="${name}"][value="${value}"]`),
    /** Goes through all steps, from the first. */
    async steps() {
      await figure.home();
      const all = [await figure.here()];
      const count = Number(all[0].place.split(' of ')[1]);
      assert.equal(all[0].place, `1 of ${count}`);
      while (all.length < count) {
        await figure.next();
        all.push(await figure.here());
        assert.equal(all.at(-1).place, `${all.length} of ${count}`);
      }
      return all;
    },
  };
  return figure;
}
