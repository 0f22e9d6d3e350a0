import { systemCode } from '../http/transport.ts';

/** What to do about an error of a file or a folder that a game names, as a sentence for an error message. */
export function fileRemedy(error: unknown): string {
  const { errcode } = Object(error) as { errcode?: unknown };
  // The lower eight bits are the code; the upper ones give details.
  const code = typeof errcode === 'number' ? sqliteCodes[errcode & 0xff] : systemCode(error);
  return remedies[code ?? ''] ?? 'Pass a folder on a local disk that this user can write to.';
}

const diskFull = 'Its disk is full: free some space.';
const notPermitted = 'This user may not write there: pass a folder of this user, or correct its permissions.';
const tooManyFiles = 'Too many files are open: close some, or raise the limit of open files.';

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: diskFull,
  EDQUOT: "This user's share of the disk is used up: free some space.",
  EACCES: notPermitted,
  EPERM: notPermitted,
  EROFS: 'Its file system is read-only: pass a folder on another one.',
  EMFILE: tooManyFiles,
  ENFILE: tooManyFiles,
  EIO: 'The disk reports an error: check it, or pass a folder on another one.',
  EBUSY: 'Another program has it open: close that program.',
  ENOENT: 'A folder above it is missing and cannot be created: pass another folder.',
  ENOTDIR: 'A part of the path is a file, not a folder: pass another folder, or remove the file.',
  EISDIR: 'A folder is in its place: remove that, or pass another folder.',
  EEXIST: 'Something else is in its place: remove that, or pass another folder.',
  ELOOP: 'Its links lead in a circle: correct them, or pass another folder.',
  ENAMETOOLONG: 'The path is too long: pass a folder with a shorter one.',
  ENOLCK: 'Its file system has no locks: pass a folder on a local disk.',
  ENOTSUP: 'Its file system has no locks: pass a folder on a local disk.',
  EOPNOTSUPP: 'Its file system has no locks: pass a folder on a local disk.',
  damaged: 'The file is damaged: delete it. It holds no data.',
};

/** @see https://www.sqlite.org/rescode.html */
const sqliteCodes: Readonly<Record<number, string>> = {
  3: 'EACCES',
  8: 'EACCES',
  10: 'EIO',
  11: 'damaged',
  13: 'ENOSPC',
  22: 'ENOTSUP',
  26: 'damaged',
};
