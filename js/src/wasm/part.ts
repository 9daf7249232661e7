// The type of the modules of parts/, which the build makes.

/** A part of the core, and the parts that it needs besides the base. */
export interface Part {
  readonly needs: readonly Part[];
  /** The wasm as text; in dist/static, the compiled module. */
  readonly code: string;
}
