import { styleText } from 'node:util';
import type { Output } from './terminal.ts';

/** Colours text. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** Colours for an output that has them: a terminal does, unless NO_COLOR is set. */
export function paintFor(output: Output): Paint {
  if (!output.hasColors?.()) return (_style, text) => text;
  return (style, text) => styleText(style, text, { validateStream: false });
}

const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text of others with its control characters spelled out: what a service sends must not steer a terminal. */
export function printable(text: string): string {
  return text.replace(invisible, character => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
