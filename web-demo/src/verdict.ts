import type { Answer } from './answer';
import { byId, make } from './dom';
import { integer, plural } from './format';
import type { Owners } from './owners';

const box = byId('verdict', HTMLDivElement);
const word = byId('verdict-word', HTMLParagraphElement);
const why = byId('verdict-why', HTMLParagraphElement);
const pips = byId('pips', HTMLDivElement);
const culprits = byId('culprits', HTMLOListElement);

type Tone = 'none' | 'absent' | 'probable' | 'wrong';

function say(tone: Tone, words: string, reason: string, isBusy = false): void {
  box.dataset.answer = tone;
  box.ariaBusy = String(isBusy);
  word.textContent = words;
  why.textContent = reason;
  culprits.replaceChildren();
  culprits.hidden = true;
}

/** The word of the current verdict. */
export function verdictWord(): string {
  return word.textContent ?? '';
}

export function isSettled(): boolean {
  return box.ariaBusy !== 'true';
}

/** Shows that there is no question, or that no answer is possible. */
export function showNoAnswer(reason?: string): void {
  pips.replaceChildren();
  say(
    'none',
    reason === undefined ? 'Look up a host' : 'No answer',
    reason ?? 'Type one above, or pick one.',
  );
}

function whyAbsent({ bits }: Answer): string {
  const clear = bits.filter(({ set }) => !set);
  const certain = `Certain: bit ${integer(clear[0]?.position ?? 0)} is clear.`;
  const rest =
    clear.length === 1
      ? 'Adding this host would have set it.'
      : `Adding this host would have set it. ${clear.length} of its ${bits.length} bits are clear, and one is enough.`;
  return `${certain} ${rest}`;
}

/** Describes who set the bits of a host that is on no list. */
function showCulprits({ bits }: Answer, owners: Owners): void {
  const rows = bits.map(({ position }) => {
    const [first = '', ...others] = owners.of(position);
    const row = make('li', '', `Bit ${integer(position)}: `);
    const more = others.length > 0 ? ` and ${plural(others.length, 'other')}` : '';
    row.append(make('b', '', first), more);
    return row;
  });
  culprits.replaceChildren(...rows);
  culprits.hidden = false;
}

/** Shows the filter's answer. If the list is loaded, it also says whether that answer is right. */
export function showVerdict(answer: Answer, owners?: Owners, failure?: string): void {
  const { bits, host, probable } = answer;
  pips.replaceChildren(...bits.map(({ set }) => make('span', set ? 'pip pip-set' : 'pip')));
  const all = `All of its ${bits.length} bits are set`;
  if (!probable) say('absent', 'Not on the list', whyAbsent(answer));
  else if (failure !== undefined) say('probable', 'Probably on the list', `${all}. ${failure}`);
  else if (owners === undefined) {
    const next = 'The page now loads the list itself, to find out.';
    say('probable', 'Probably on the list', `${all}. ${next}`, true);
  } else if (owners.has(host)) {
    const reason = `${all}, and the list itself names it. The filter alone says "probably".`;
    say('probable', 'On the list', reason);
  } else {
    const reason = 'The list does not name this host. Listed hosts set all of its bits:';
    say('wrong', 'Wrong: a false positive', reason);
    showCulprits(answer, owners);
  }
}
