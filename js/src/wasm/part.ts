// The type of the modules in parts/, which the build generates.

/** A part of the core, and the parts that it needs besides the base. */
export interface Part {
  readonly needs: readonly Part[];
  /** The wasm as text; in dist/static, the compiled module. */
  readonly code: string;
}
