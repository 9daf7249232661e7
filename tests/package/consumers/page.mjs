import { exercise } from './exercise.mjs';

try {
  globalThis.answer = exercise();
} catch (error) {
  globalThis.failure = { code: error.code, message: error.message };
}
