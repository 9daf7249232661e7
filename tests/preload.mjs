// Jest runs each test in an AsyncLocalStorage of the test's file. From then on, Node 20 and 22 call a hook for each
// promise, and for each file that has ended once more: that takes a fifth of the time of all suites. The tests of a
// file run one after the other, so the test in hand is the last that began. Nothing else here uses this class. Later
// versions of Node have no such hook, and their class cannot be assigned to.
import hooks from 'node:async_hooks';

class LastStore {
  #store;

  run(store, callback) {
    this.#store = store;
    return callback();
  }

  getStore() {
    return this.#store;
  }
}

if (Object.getOwnPropertyDescriptor(hooks, 'AsyncLocalStorage').writable)
  hooks.AsyncLocalStorage = LastStore;
