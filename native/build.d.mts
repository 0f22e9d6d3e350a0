import type { Product, Target } from './targets.mjs';

/** See `build.mjs`. */
export interface Tools {
  readonly compiler: string;
}
export type Found = Tools | { readonly obstacle: string };

export const here: Target;
export const sanitizedFolder: string;
export function folderOf(target: Target): string;
export function findTools(target: Target): Found;
export function build(
  products: readonly Product[],
  tools: Tools,
  folder: string,
  options?: { readonly isStrict?: boolean },
): boolean;
export function fingerprint(products: readonly Product[], tools: Tools): string;
export function writeChecksums(): void;
