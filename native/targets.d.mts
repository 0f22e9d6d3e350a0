/** See `targets.mjs`. */
export interface Product {
  readonly file: string;
}

export interface Target {
  /** As in `process.platform`. */
  readonly platform: string;
  /** As in `process.arch`. */
  readonly arch: string;
}

export const targets: readonly Target[];
export const sanitizedProducts: readonly Product[];
export function productsFor(target: Target): readonly Product[];
