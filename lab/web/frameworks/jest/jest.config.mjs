export default {
  transform: { '\\.[cm]?[jt]s$': ['@swc/jest', { module: { type: 'commonjs' } }] },
  transformIgnorePatterns: ['/node_modules/(?!tamis/)'],
};
