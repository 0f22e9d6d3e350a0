import { crc32, deflateSync } from 'node:zlib';
import type { UserId } from '../../model/snowflake.ts';

/** Where pictures of users are, below the web address. */
export const picturesPath = '/embed/avatars';

/** Red, green and blue. */
const colours = ['5865f2', '3ba55d', 'faa61a', 'ed4245', 'eb459e', '747f8d'] as const;

/**
 * The picture of a user.
 *
 * Our choice: nobody here has one of their own, so everybody has a plain one, always in the same colour.
 */
export function pictureAddress(web: string, userId: UserId): string {
  return `${web}${picturesPath}/${BigInt(userId) % BigInt(colours.length)}.png`;
}

/** @returns PNG; undefined when there is no picture of that name */
export function drawPicture(name: string): Buffer | undefined {
  const colour = colours.find((_, at) => name === `${at}.png`);
  return colour === undefined ? undefined : plainPng(Buffer.from(colour, 'hex'));
}

const side = 128;

/** @see PNG Specification, 11.2 */
function plainPng(colour: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // One bit a dot, which names a colour of the palette.
  header.set([1, 3], 8);
  const rows = Buffer.alloc(side * (1 + side / 8));
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
