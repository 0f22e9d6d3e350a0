import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../../src/sdk/redirect/socket-protocol.ts';

/** What is read of these pieces: the lines, undefined for one that is not UTF-8, and whether one was too long. */
function read(pieces: readonly Uint8Array[]): { lines: (string | undefined)[]; isTooLong: boolean } {
  const stream = new PassThrough();
  const lines: (string | undefined)[] = [];
  let isTooLong = false;
  readLines(
    stream as unknown as Socket,
    text => lines.push(text),
    () => {
      isTooLong = true;
    },
  );
  for (const piece of pieces) stream.emit('data', Buffer.from(piece));
  return { lines, isTooLong };
}

describe('readLines', () => {
  it('reads the same lines however they are cut into pieces', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 40 }).filter(text => !text.includes('\n'));
    fc.assert(
      fc.property(fc.array(line), fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (texts, sizes) => {
        const bytes = Buffer.from(texts.map(text => `${text}\n`).join(''));
        const pieces: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; ) {
          const size = sizes.next().value ?? 1;
          pieces.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(read(pieces)).toEqual({ lines: texts, isTooLong: false });
      }),
    );
  });

  it('takes a line of 8,192 bytes, and not one of 8,193, whether or not its end has come', () => {
    const [fits, tooLong] = [Buffer.alloc(8192, 'x'), Buffer.alloc(8193, 'x')];
    const end = Buffer.from('\n');
    expect(read([fits, end])).toEqual({ lines: ['x'.repeat(8192)], isTooLong: false });
    for (const pieces of [[tooLong], [tooLong, end], [fits, fits], [Buffer.concat([tooLong, end])]]) {
      expect(read(pieces)).toEqual({ lines: [], isTooLong: true });
    }
    expect(read([tooLong, end, fits, end]).lines).toEqual([]);
  });

  it('gives undefined for a line that is not UTF-8, and reads on', () => {
    expect(read([Buffer.from([0xff, 0x0a, 0x61, 0x0a])]).lines).toEqual([undefined, 'a']);
  });
});
