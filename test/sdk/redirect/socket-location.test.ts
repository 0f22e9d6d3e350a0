import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Machine } from '../../../src/sdk/redirect/machine.ts';
import { socketLocationOf } from '../../../src/sdk/redirect/socket-location.ts';

const machine: Machine = {
  platform: 'linux',
  environment: { XDG_RUNTIME_DIR: '/run/user/1000' },
  uid: 1000,
  userName: 'ada',
  temporaryFolder: tmpdir(),
};

describe('socketLocationOf', () => {
  it('is in the folder of the session, else in that for temporary files, apart for each user', () => {
    expect(socketLocationOf('discord-1', undefined, machine)).toEqual({
      folder: '/run/user/1000/rallypoint-1000',
      path: '/run/user/1000/rallypoint-1000/discord-1.sock',
    });
    for (const XDG_RUNTIME_DIR of [undefined, '', 'relative/run']) {
      const { folder } = socketLocationOf('discord-1', undefined, { ...machine, environment: { XDG_RUNTIME_DIR } });
      expect(folder).toBe(join(tmpdir(), 'rallypoint-1000'));
    }
  });

  it('is in the folder that is given, as an absolute path', () => {
    expect(socketLocationOf('g', 'here', machine).path).toBe(join(process.cwd(), 'here', 'g.sock'));
  });

  it("is a pipe with the user's name on Windows, which holds nothing that a pipe's name may not", () => {
    const windows = { ...machine, platform: 'win32', uid: undefined, userName: 'Ada \\ Ä' } as const;
    expect(socketLocationOf('discord-1', undefined, windows)).toEqual({
      folder: undefined,
      path: '\\\\.\\pipe\\rallypoint-Ada____-discord-1',
    });
  });

  it('has 99 bytes at most', () => {
    const room = 99 - '/'.length - '/g.sock'.length;
    expect(socketLocationOf('g', `/${'x'.repeat(room)}`, machine).path).toHaveLength(99);
    expect(() => socketLocationOf('g', `/${'x'.repeat(room + 1)}`, machine)).toThrow(
      expect.objectContaining({ code: 'socket_path_too_long' }),
    );
    expect(() => socketLocationOf('g', `/${'ä'.repeat(room)}`, machine)).toThrow('too long');
  });
});
