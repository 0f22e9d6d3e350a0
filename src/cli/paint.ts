import { styleText } from 'node:util';

/** Colours text for a stream: not at all when it is no terminal, or NO_COLOR is set. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text of others with its control characters spelled out: what a service sends must not steer a terminal. */
export function printable(text: string): string {
  return text.replace(invisible, character => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
