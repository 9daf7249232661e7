// What the modules of parts/ are, which the build makes.

/** A module of the core, and the modules that it needs besides the base. */
export interface Part {
  readonly needs: readonly Part[];
  /** The wasm as text; in dist/static the compiled module. */
  readonly code: string;
}
