import { TestEnvironment } from 'jest-environment-jsdom';

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    Object.assign(this.global, {
      TextEncoder,
      TextDecoder,
      fetch,
      Response,
      Uint8Array,
      ArrayBuffer,
    });
    Object.defineProperty(this.global, 'crypto', { value: crypto });
  }
}
