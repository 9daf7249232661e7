import assert from 'node:assert/strict';
import { complaintsOf } from '../../../tests/e2e/browser.mjs';
import { shareDemo } from '../demo-page.mjs';

const shared = shareDemo();

/**
 * Opens the page of all figures. When the test ends, its console is checked and the context is closed. Motion is
 * reduced unless `reducedMotion` says otherwise, so that nothing moves unless a test steps.
 */
export async function openFigures(t, { search = '', ...options } = {}) {
  const { server, browser } = shared;
  const context = await browser.newContext({
    viewport: { width: 1100, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  t.after(async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  });
  await page.goto(`${server.url}figures.html${search}`);
  return page;
}

/** The query string that links to a state of a figure. */
export function linkTo(type, state) {
  return `?${new URLSearchParams({ [type]: String(new URLSearchParams(state)) })}`;
}

/** The figure of a type, driven by keyboard. Every method waits until the figure shows its steps. */
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
  async function press(selector, key) {
    await ready();
    await find(selector).press(key);
    await ready();
  }
  async function read(selector) {
    await ready();
    return find(selector).evaluate((element) => element.textContent);
  }

  const figure = {
    ready,
    /** A part of the figure, by its selector. */
    find,
    next: () => press('.step', 'Enter'),
    back: () => press('.back', 'Enter'),
    home: () => press('.scrubber', 'Home'),
    end: () => press('.scrubber', 'End'),
    play: () => press('.play', 'Enter'),
    reset: () => press('.reset', 'Enter'),
    caption: () => read('.caption'),
    /** The words of the answer, or '' if there is none. */
    answer: () => read('.answer'),
    /** The verdict: 'absent', 'probable', 'wrong', 'refused' or 'none'. */
    async verdict() {
      await ready();
      return find('.answer').getAttribute('data-verdict');
    },
    /** The position, such as '3 of 7'. */
    place: () => read('.place'),
    /** The lines of "As text". */
    async text() {
      await ready();
      return find('.as-text li').evaluateAll((lines) => lines.map((line) => line.textContent));
    },
    /** The marks of the drawing: the key, the kind, the tone and the words of each. */
    async marks() {
      await ready();
      return find('svg > g').evaluateAll((groups) =>
        groups.map((group) => ({
          key: group.dataset.key,
          kind: group.classList[0],
          tone: group.classList[1].slice('tone-'.length),
          text: group.textContent,
        })),
      );
    },
    /** Types into a text field, and presses Enter to show the result at once. */
    async set(name, value) {
      await ready();
      const field = find(`input[name="${name}"]`);
      await field.press('ControlOrMeta+A');
      await field.press('Delete');
      await field.pressSequentially(value);
      await field.press('Enter');
      await ready();
    },
    /** Presses one of the buttons of a control. */
    pick: (name, value) => press(`button[data-name="${name}"][value="${value}"]`, 'Enter'),
    /** The step that is shown. */
    async here() {
      return {
        place: await figure.place(),
        caption: await figure.caption(),
        answer: await figure.answer(),
        verdict: await figure.verdict(),
        text: await figure.text(),
        marks: await figure.marks(),
      };
    },
    /** Goes through all steps by keyboard, from the first. */
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
