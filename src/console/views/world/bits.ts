import { allPermissions, permissionBits } from '../../../model/guild.ts';

/** Bits by their names, and what is left over without a name. */
export interface NamedBits {
  readonly names: readonly string[];
  /** Decimal text; `'0'` when every bit has a name. */
  readonly rest: string;
}

/** Permission bits in decimal text, by name. Undefined when the text is no such number. */
export function namePermissions(text: string): NamedBits | undefined {
  const bits = readPermissions(text);
  return bits === undefined ? undefined : nameBits(bits);
}

/** Every permission that has a name. */
export const permissionNames = Object.keys(permissionBits) as readonly (keyof typeof permissionBits)[];

export function readPermissions(text: string): bigint | undefined {
  if (!/^(0|[1-9]\d{0,18})$/.test(text.trim())) return undefined;
  const bits = BigInt(text.trim());
  return bits > allPermissions ? undefined : bits;
}

/** The text with one permission switched on or off. Bits without a name stay. */
export function withPermission(text: string, name: keyof typeof permissionBits, isOn: boolean): string {
  const bits = readPermissions(text) ?? 0n;
  const bit = permissionBits[name];
  return String(isOn ? bits | bit : bits & ~bit);
}

export function hasPermission(text: string, name: keyof typeof permissionBits): boolean {
  return ((readPermissions(text) ?? 0n) & permissionBits[name]) !== 0n;
}

function nameBits(bits: bigint): NamedBits {
  const names = Object.entries(permissionBits).filter(([, bit]) => (bits & bit) !== 0n);
  const rest = names.reduce((left, [, bit]) => left & ~bit, bits);
  return { names: names.map(([name]) => name), rest: String(rest) };
}
