import { crc32, deflateSync } from 'node:zlib';
import type { UserId } from '../../../../model/snowflake.ts';

/** Where pictures of users are, below the web address. */
export const picturesPath = '/embed/avatars';

/** Red, green and blue. */
const colours = ['5865f2', '3ba55d', 'faa61a', 'ed4245', 'eb459e', '747f8d'] as const;

/**
 * The address of a user's picture.
 *
 * Deviation: users cannot upload a picture to this service. Each has a plain square, always of the same colour.
 */
export function pictureAddress(web: string, userId: UserId): string {
  return `${web}${picturesPath}/${BigInt(userId) % BigInt(colours.length)}.png`;
}

/** @returns PNG; undefined when no picture has that name */
export function drawPicture(name: string): Buffer | undefined {
  const colour = colours.find((_, index) => name === `${index}.png`);
  return colour === undefined ? undefined : plainPng(Buffer.from(colour, 'hex'));
}

const sidePixels = 128;

/** @see https://www.w3.org/TR/png-3/#11Critical-chunks */
function plainPng(colour: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(sidePixels, 0);
  header.writeUInt32BE(sidePixels, 4);
  // One bit a pixel, an index into the palette.
  header.set([1, 3], 8);
  const rows = Buffer.alloc(sidePixels * (1 + sidePixels / 8));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', colour),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const content = Buffer.concat([Buffer.from(type), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}
