import { open } from 'node:fs/promises';

/**
 * Makes sure that a built file is there and not cut off. The system's loader refuses most broken files with an error,
 * but on Linux it lets the process die on one that ends early, as after a full disk or a download broken off.
 *
 * @throws Error that says what is wrong
 */
export async function checkWholeFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error('not a file');
    const header = Buffer.alloc(headerBytes);
    const { bytesRead } = await file.read(header, 0, headerBytes, 0);
    const needed = elfBytes(header.subarray(0, bytesRead));
    if (needed !== undefined && stat.size < needed) throw new Error('cut off');
  } finally {
    await file.close();
  }
}

const headerBytes = 64;
const elfMagic = '\x7fELF';

/** Size by the header of a 64-bit little-endian ELF file, whose last part is its table of sections. */
function elfBytes(header: Buffer): bigint | undefined {
  const isElf = header.toString('latin1', 0, 4) === elfMagic && header[4] === 2 && header[5] === 1;
  if (!isElf) return undefined;
  if (header.length < headerBytes) return BigInt(headerBytes);
  return header.readBigUInt64LE(0x28) + BigInt(header.readUInt16LE(0x3a)) * BigInt(header.readUInt16LE(0x3c));
}
