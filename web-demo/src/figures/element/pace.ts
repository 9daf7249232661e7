// The pace of a figure that plays: a step stays long enough to be read.
import type { Step } from '../shared/model';

/** To look at the drawing. */
const LOOK_MS = 600;

/** To read a word. */
const WORD_MS = 250;

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

/** The time that a step stays while its figure plays, in milliseconds. */
export function stayOf({ answer, caption }: Pick<Step, 'answer' | 'caption'>): number {
  return LOOK_MS + WORD_MS * (countWords(answer?.words ?? '') + countWords(caption));
}
