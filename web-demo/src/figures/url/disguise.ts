// A link in disguise: peeled rule by rule, turned into expressions, hashed, and searched in the sorted list.
import { plural } from '../../format';
import type { Scene, Step } from '../shared/model';
import { drawCharacters, level, line, readable } from './draw';
import { entries, entriesOf, makeList } from './list';
import { type LookUp, lookUp } from './look-up';
import { bytesOf, differing, type Peeled } from './rules';
import { searchSteps } from './search';

function drawOne(title: string, text: string, width: number): Scene {
  const drawn = drawCharacters(text, { name: 'before', width, top: 28 });
  return { height: drawn.bottom + 4, marks: [line('title', 1, 12, title, true), ...drawn.marks] };
}

function drawTwo(
  titles: readonly [string, string],
  before: string,
  after: string,
  width: number,
): Scene {
  const goes = differing(before, after);
  const comes = differing(after, before);
  const old = drawCharacters(before, { name: 'before', width, top: 28 }, (i) =>
    goes[i] ? 'hit' : 'off',
  );
  const made = drawCharacters(after, { name: 'after', width, top: old.bottom + 36 }, (i) =>
    comes[i] ? 'new' : 'off',
  );
  return {
    height: made.bottom + 4,
    marks: [
      line('title', 1, 12, titles[0], true),
      ...old.marks,
      line('title2', 1, old.bottom + 20, titles[1], true),
      ...made.marks,
    ],
  };
}

function beginning({ text }: LookUp): Step {
  const bytes = bytesOf(text);
  return {
    caption:
      `The list has ${entriesOf(entries.length)}. Is this link one of them? ` +
      'A disguise hides a host from a plain search, so the package peels it off.',
    scene: (width) => drawOne('The link, a byte in each cell', bytes, width),
    text: [
      `The link: ${readable(bytes)}`,
      `The list has ${entriesOf(entries.length)}.`,
      `The list: ${entries.join(', ')}`,
    ],
  };
}

/** The step that follows the browser's parser, if the browser opens another page than the text says. */
function parsing({ text, page }: LookUp): Step {
  const [before, after] = [bytesOf(text), bytesOf(page)];
  return {
    caption:
      'Your browser opens another page than the text says. The page counts, and not the text.',
    scene: (width) => drawTwo(['The text', 'What your browser opens'], before, after, width),
    text: [`The text: ${readable(before)}`, `Your browser opens: ${readable(after)}`],
  };
}

function peeling({ rule, says, before, after }: Peeled): Step {
  return {
    caption: `Rule ${rule}. ${says}`,
    scene: (width) =>
      drawTwo(
        [`Rule ${rule}: before, with what goes`, 'After, with what comes'],
        before,
        after,
        width,
      ),
    text: [`Rule ${rule}. ${says}`, `Before: ${readable(before)}`, `After: ${readable(after)}`],
  };
}

function peeled({ text, page, canonical, isPlain, peeled }: LookUp): Step {
  const same = bytesOf(text) === canonical;
  return {
    caption: same
      ? 'This link wears no disguise: it is its own canonical form.'
      : `This is the canonical form, after ${plural(peeled.length, 'step')}. ` +
        `The package gives the same${isPlain ? ', and your browser opens this page' : ''}.`,
    scene: (width) => drawOne('The canonical form', canonical, width),
    text: [`canonicalize gives: ${canonical}`, `Your browser opens: ${readable(bytesOf(page))}`],
  };
}

/** The only step of a text that is no page of the web. */
function invalidStep(text: string, answer: string): Step {
  const bytes = bytesOf(text);
  return {
    caption:
      "This is no text that every browser opens as the same page. So it is never called 'safe'.",
    answer: { verdict: 'refused', words: answer },
    scene: (width) => drawOne('The text', bytes, width),
    text: [`The text: ${readable(bytes)}`, `check gives '${answer}'.`],
  };
}

/** The steps of looking a link up. */
export function disguiseSteps(text: string): readonly Step[] {
  const list = makeList();
  try {
    const look = lookUp(list, text);
    if (look === undefined) return [invalidStep(text, list.check(text))];
    return level([
      beginning(look),
      ...(look.isPlain ? [] : [parsing(look)]),
      ...look.peeled.map(peeling),
      peeled(look),
      ...searchSteps(look),
    ]);
  } finally {
    list.dispose();
  }
}
