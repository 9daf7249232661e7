// In the place of text.ts in Node's form of the package: Node itself decodes base64.

import { Buffer } from 'node:buffer';
import type * as text from './text.js';

/** The bytes of a text. */
export const decode: typeof text.decode = (base64) => Buffer.from(base64, 'base64');
