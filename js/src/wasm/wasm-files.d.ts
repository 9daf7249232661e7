// What a static import of wasm gives in workerd.
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
