/** Where the frame that begins at `at` ends; 0 when its header is not there yet. */
export function frameEnd(bytes: Buffer, at: number): number {
  const short = bytes[at + 1];
  if (short === undefined) return 0;
  if (short < 126) return at + 2 + short;
  if (short === 126) return bytes.length < at + 4 ? 0 : at + 4 + bytes.readUInt16BE(at + 2);
  return bytes.length < at + 10 ? 0 : at + 10 + Number(bytes.readBigUInt64BE(at + 2));
}

/** Reads the text frames that are there whole; gives what is left. */
export function readFrames(bytes: Buffer, onText: (text: string) => void): Buffer {
  let at = 0;
  for (let end = frameEnd(bytes, at); end > 0 && end <= bytes.length; end = frameEnd(bytes, at)) {
    const short = bytes[at + 1] ?? 0;
    const size = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (((bytes[at] ?? 0) & 15) === 1) onText(bytes.toString('utf8', at + size, end));
    at = end;
  }
  return bytes.subarray(at);
}

/** A text frame as clients send it, masked with zeros. */
export function maskedFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const isShort = payload.length < 126;
  const head = Buffer.alloc(isShort ? 6 : 8);
  head[0] = 0x81;
  head[1] = 0x80 | (isShort ? payload.length : 126);
  if (!isShort) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}
