// Jest as it runs by default, whose transform makes CommonJS of tamis too.
import { createRequire } from 'node:module';

const { resolve } = createRequire(process.argv[1]);

export default {
  testMatch: ['**/commonjs.test.cjs'],
  transform: {
    '\\.[cm]?js$': [resolve('@swc/jest'), { module: { type: 'commonjs' } }],
  },
  transformIgnorePatterns: ['/node_modules/(?!tamis/)'],
};
