// The pace of a playing figure: each step stays long enough to be read.
import type { Step } from '../shared/model';

/** The time to look at the drawing. */
const LOOK_MS = 600;

/** The time to read a word. */
const WORD_MS = 250;

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

/** The time for which a step stays while its figure plays, in milliseconds. */
export function stayOf({ answer, caption }: Pick<Step, 'answer' | 'caption'>): number {
  return LOOK_MS + WORD_MS * (countWords(answer?.words ?? '') + countWords(caption));
}
