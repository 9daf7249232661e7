// Jest as it runs ES modules: node --experimental-vm-modules node_modules/jest/bin/jest.js
export default {
  testMatch: ['**/modules.test.mjs'],
  transform: {},
};
