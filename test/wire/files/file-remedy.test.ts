import { describe, expect, it } from 'vitest';
import { fileRemedy } from '../../../src/wire/files/file-remedy.ts';

const failure = (fields: object) => Object.assign(new Error('no'), fields);

describe('the remedy for an error of a file', () => {
  it.each([
    ['a full disk', failure({ code: 'ENOSPC' }), /disk is full/],
    ['a full disk, as SQLite reports it', failure({ code: 'ERR_SQLITE_ERROR', errcode: 13 }), /disk is full/],
    ['a used quota', failure({ code: 'EDQUOT' }), /free some space/],
    ['missing rights', failure({ code: 'EACCES' }), /may not write there/],
    [
      'missing rights, within another error',
      new Error('x', { cause: failure({ code: 'EPERM' }) }),
      /may not write there/,
    ],
    ['a read-only file system', failure({ code: 'EROFS' }), /read-only/],
    ['too many open files', failure({ code: 'EMFILE' }), /Too many files/],
    ['a disk that fails', failure({ code: 'ERR_SQLITE_ERROR', errcode: 10 | (3 << 8) }), /disk reports an error/],
    ['a file in the place of a folder', failure({ code: 'ENOTDIR' }), /a file, not a folder/],
    ['a folder in the place of a file', failure({ code: 'EISDIR' }), /A folder is in its place/],
    ['a file system without locks', failure({ code: 'ENOLCK' }), /no locks/],
    ['a damaged file', failure({ code: 'ERR_SQLITE_ERROR', errcode: 26 }), /damaged: delete it/],
    ['an error that nobody knows', failure({ code: 'EWHAT' }), /local disk/],
    ['no error of the system', 'text', /local disk/],
  ])('says what helps: %s', (_, error, remedy) => {
    expect(fileRemedy(error)).toMatch(remedy);
    expect(fileRemedy(error)).toMatch(/\.$/);
  });
});
