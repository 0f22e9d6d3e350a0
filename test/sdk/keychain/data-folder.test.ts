import { describe, expect, it } from 'vitest';
import { dataFolder } from '../../../src/sdk/keychain/private-folder.ts';

describe('the user’s data folder', () => {
  it('follows each system’s convention', () => {
    expect(dataFolder('linux', {}, '/home/ada')).toBe('/home/ada/.local/share/rallypoint');
    expect(dataFolder('linux', { XDG_DATA_HOME: '/data' }, '/home/ada')).toBe('/data/rallypoint');
    expect(dataFolder('darwin', { XDG_DATA_HOME: '/data' }, '/Users/ada')).toBe(
      '/Users/ada/Library/Application Support/rallypoint',
    );
    expect(dataFolder('win32', { LOCALAPPDATA: 'D:\\Local' }, 'C:\\Users\\ada')).toBe('D:\\Local\\rallypoint');
    expect(dataFolder('win32', {}, 'C:\\Users\\ada')).toBe('C:\\Users\\ada\\AppData\\Local\\rallypoint');
  });

  it('is the default one when XDG_DATA_HOME is empty or relative', () => {
    for (const XDG_DATA_HOME of ['', 'data']) {
      expect(dataFolder('linux', { XDG_DATA_HOME }, '/home/ada')).toBe('/home/ada/.local/share/rallypoint');
    }
  });
});
