import { crc32, deflateSync } from 'node:zlib';
import { pictureColours } from '../picture.ts';

/** @returns PNG; undefined when there is no picture of that name */
export function drawPicture(name: string): Buffer | undefined {
  const colour = pictureColours.find((_, at) => name === `${at}.png`);
  return colour === undefined ? undefined : plainPng(Buffer.from(colour, 'hex'));
}

const side = 128;

/** @see https://www.w3.org/TR/png-3/#11Critical-chunks */
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
