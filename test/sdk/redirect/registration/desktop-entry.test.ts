import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandOf, desktopEntryText, execLineOf } from '../../../../src/sdk/redirect/registration/desktop-entry.ts';
import { needs } from '../../../support/runs/parts.ts';
import { shortFolder } from '../games.ts';

const scheme = 'discord-1';
const validator = await needs('desktop-file-validate');

describe('a desktop file', () => {
  it('does not quote plain words', () => {
    const text = desktopEntryText({
      name: 'Starfall',
      scheme,
      command: ['/opt/f', '/run/user/1000/s.sock', '/g', '.'],
    });
    expect(execLineOf(text)).toBe('/opt/f /run/user/1000/s.sock /g . %u');
    expect(text).toContain('\nMimeType=x-scheme-handler/discord-1;\n');
  });

  it('returns every command as it was written', () => {
    const word = fc.string({ unit: 'grapheme', minLength: 0 }).filter(text => !/\p{Cc}/u.test(text));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), command => {
        const line = execLineOf(desktopEntryText({ name: 'x', scheme, command })) ?? '';
        expect(commandOf(line)).toEqual(command);
      }),
      { examples: [[['\u2028', '']], [['/opt/a\u2029b', '\u0085']]] },
    );
  });

  it.skipIf(validator.missing)(`is one by desktop-file-validate, whatever stands in it${validator.note}`, () => {
    const path = join(shortFolder(), 'rallypoint-x.desktop');
    const command = ['/opt/My Game/g', '--a="b"', '$HOME', '`id`', '100%', 'c:\\d', "it's", 'ä'];
    writeFileSync(path, desktopEntryText({ name: 'Mein \\ Spiel; [x]', scheme, command }));
    const { stdout, status } = spawnSync('desktop-file-validate', [path], { encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });

  it('has the Exec line of its own group, not of its actions', () => {
    const text = '[Desktop Entry]\nName=a\nExec = /a %u\n[Desktop Action b]\nExec=/b\n';
    expect(commandOf(execLineOf(text) ?? '')).toEqual(['/a']);
    expect(execLineOf('[Desktop Entry]\nName=a\n[Desktop Action b]\nExec=/b\n')).toBeUndefined();
    expect(execLineOf('')).toBeUndefined();
  });
});
