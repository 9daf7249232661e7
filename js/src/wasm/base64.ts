// Replaces text.ts in the package's files for Node, which can decode base64.

import { Buffer } from 'node:buffer';
import type * as text from './text.js';

/** Decodes bytes from base64. */
export const decode: typeof text.decode = (base64) => Buffer.from(base64, 'base64');
