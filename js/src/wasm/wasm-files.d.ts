// What a static import of wasm gives in workerd, and in Vercel's edge runtime.
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
declare module '*.wasm?module' {
  const module: WebAssembly.Module;
  export default module;
}
