/** What can be read of a write-ahead log. @see https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
export interface LogState {
  /** Frames that SQLite reads, up to the last commit among them. */
  readonly frames: number;
  readonly commits: number;
  /** Frames behind those that belong to the same log, and that SQLite drops. */
  readonly dropped: number;
  /** Its head can be read, or the log is empty. */
  readonly hasHead: boolean;
}

const headBytes = 32;
const frameHeadBytes = 24;
const magicLittleEndian = 0x377f0682;
const magicBigEndian = 0x377f0683;

export function readLog(bytes: Uint8Array): LogState {
  const nothing = { frames: 0, commits: 0, dropped: 0 };
  if (bytes.byteLength === 0) return { ...nothing, hasHead: true };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = readHead(view);
  if (!head) return { ...nothing, hasHead: false };

  const frameBytes = frameHeadBytes + head.pageBytes;
  let sum = head.sum;
  let isWhole = true;
  let read = 0;
  let state = nothing;
  for (let at = headBytes; at + frameBytes <= view.byteLength; at += frameBytes) {
    // Frames of an older log stand behind those of this one, where that is shorter.
    if (view.getUint32(at + 8) !== head.salt1 || view.getUint32(at + 12) !== head.salt2) {
      isWhole = false;
      continue;
    }
    if (isWhole) {
      sum = sumOf(view, at, 8, head.isLittleEndian, sum);
      sum = sumOf(view, at + frameHeadBytes, head.pageBytes, head.isLittleEndian, sum);
      isWhole = sum[0] === view.getUint32(at + 16) && sum[1] === view.getUint32(at + 20);
    }
    if (!isWhole) {
      state = { ...state, dropped: state.dropped + 1 };
      continue;
    }
    read++;
    const isCommit = view.getUint32(at + 4) !== 0;
    if (isCommit) state = { ...state, frames: read, commits: state.commits + 1 };
  }
  return { ...state, hasHead: true };
}

type Sum = readonly [number, number];

function readHead(view: DataView) {
  if (view.byteLength < headBytes) return undefined;
  const magic = view.getUint32(0);
  if (magic !== magicLittleEndian && magic !== magicBigEndian) return undefined;
  const isLittleEndian = magic === magicLittleEndian;
  const sum = sumOf(view, 0, 24, isLittleEndian, [0, 0]);
  if (sum[0] !== view.getUint32(24) || sum[1] !== view.getUint32(28)) return undefined;
  return {
    ...{ isLittleEndian, sum, pageBytes: view.getUint32(8) },
    ...{ salt1: view.getUint32(16), salt2: view.getUint32(20) },
  };
}

function sumOf(view: DataView, from: number, length: number, isLittleEndian: boolean, [first, second]: Sum): Sum {
  let s0 = first;
  let s1 = second;
  for (let at = from; at < from + length; at += 8) {
    s0 = (s0 + view.getUint32(at, isLittleEndian) + s1) >>> 0;
    s1 = (s1 + view.getUint32(at + 4, isLittleEndian) + s0) >>> 0;
  }
  return [s0, s1];
}
