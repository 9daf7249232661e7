import { isTaken } from './taken.js';

globalThis.outcome = await Promise.all(['ada', 'zoe'].map(isTaken));
