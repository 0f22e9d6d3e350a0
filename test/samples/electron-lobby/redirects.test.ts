import type { Finding, FindingCode } from '@rallypoint/sdk';
import { findingCodes } from '@rallypoint/sdk';
import { describe, expect, it } from 'vitest';
import { decideWay } from '../../../samples/electron-lobby/main/redirects.ts';

const options = { scheme: 'discord-1', redirect: 'auto' } as const;
const forwarded = { isRegistered: true, through: 'forwarder' } as const;
const copied = { isRegistered: true, through: 'game' } as const;
const amiss = (code: FindingCode): Finding[] =>
  findingCodes.map(one => ({ code: one, ok: one !== code, message: `${one} was looked at.`, remedy: 'Mend it.' }));

describe('the way back from the browser', () => {
  it('is the scheme while nothing speaks against it', () => {
    expect(decideWay(options, forwarded, [])).toEqual({ way: 'custom-scheme', scheme: 'discord-1', findings: [] });
  });

  it.each(['rights', 'registration', 'handler_command', 'opener', 'folder', 'listener'] as const)(
    'is loopback, saying why, where %s is amiss',
    code => {
      const view = decideWay(options, forwarded, amiss(code));
      expect(view).toMatchObject({ way: 'loopback', reason: `${code} was looked at.` });
      expect(view.findings).toHaveLength(findingCodes.length);
    },
  );

  it.each(['addon', 'forwarder', 'loopback', 'keychain'] as const)('is the scheme though %s is amiss', code => {
    expect(decideWay(options, forwarded, amiss(code)).way).toBe('custom-scheme');
  });

  it('asks less of the system where redirects start a second copy', () => {
    expect(decideWay(options, copied, amiss('registration')).way).toBe('custom-scheme');
    expect(decideWay(options, copied, amiss('opener')).way).toBe('loopback');
  });

  it('is loopback where the scheme could not be registered', () => {
    const view = decideWay(options, { isRegistered: false, through: 'game', reason: 'There is no forwarder.' }, []);
    expect(view).toMatchObject({ way: 'loopback', reason: 'There is no forwarder.' });
  });

  it('is the scheme when it was chosen, whatever the doctor says', () => {
    const chosen = { scheme: 'discord-1', redirect: 'custom-scheme' } as const;
    expect(decideWay(chosen, { isRegistered: false, through: 'game' }, amiss('opener')).way).toBe('custom-scheme');
  });
});
