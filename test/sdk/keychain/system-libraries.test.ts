import { describe, expect, it } from 'vitest';
import { type Keytar, libraryFailure, openLibrary } from '../../../src/sdk/keychain/system-libraries.ts';
import { keytarOver, noLibraries } from '../../support/keychain/keychain-stand-ins.ts';

describe('the failure of a library', () => {
  it.each([
    ['keychain_no_bus', 'Cannot autolaunch D-Bus without X11 $DISPLAY'],
    ['keychain_no_bus', 'Could not connect: No such file or directory'],
    [
      'keychain_no_bus',
      'Platform failure: DBus error: Using X11 for dbus-daemon autolaunch was disabled at compile time, set your DBUS_SESSION_BUS_ADDRESS instead',
    ],
    ['keychain_no_collection', 'Object does not exist at path “/org/freedesktop/secrets/collection/login”'],
    ['keychain_no_collection', "Couldn't access platform storage: Secret Service: no result found"],
    ['keychain_no_collection', 'Error calling StartServiceByName for org.freedesktop.secrets: Timeout was reached'],
    ['keychain_no_collection', 'The name org.freedesktop.secrets was not provided by any .service files'],
    ['keychain_locked', 'Cannot create an item in a locked collection'],
    ['keychain_locked', "Couldn't access platform storage: Secret Service: unlock prompt was dismissed"],
    ['keychain_locked', 'User interaction is not allowed.'],
    ['keychain_denied', "Couldn't access platform storage: AccessDenied"],
    ['keychain_denied', 'Access is denied.'],
    ['keychain_unusable', 'The name :1.1 was not provided by any .service files'],
    ['keychain_unusable', 'something that nobody has heard of'],
  ])('is %s: %s', (code, said) => {
    const failure = libraryFailure(new Error(said));
    expect(failure).toMatchObject({ name: 'KeychainError', code });
    expect(failure.message).toContain(said);
  });

  it.each([
    'The name :1.23 was not provided by any .service files',
    'The session wrapping the secret does not exist',
    'Platform failure: DBus error: Message recipient disconnected from message bus without replying',
  ])('says that the keyring’s service ended: %s', said => {
    expect(libraryFailure(new Error(said)).message).toMatch(/service ended .* start the game again/);
  });

  it('may have no text', () => {
    expect(libraryFailure(undefined)).toMatchObject({ code: 'keychain_unusable' });
  });
});

describe('entries in a library', () => {
  it('reject with the library’s name when it is absent or has no binary', async () => {
    for (const [name, packageName] of [
      ['keytar', 'keytar'],
      ['keyring', '@napi-rs/keyring'],
    ] as const) {
      await expect(openLibrary(name, 'S', noLibraries[name])).rejects.toMatchObject({
        ...{ name: 'KeychainError', code: 'keychain_missing' },
        message: expect.stringContaining(packageName),
      });
    }
    const noBinary = async () => {
      throw Object.assign(new Error('Cannot find module ../build/Release/keytar.node'), { code: 'MODULE_NOT_FOUND' });
    };
    await expect(openLibrary('keytar', 'S', noBinary)).rejects.toMatchObject({ code: 'keychain_missing' });
  });

  it('call the library one call after another', async () => {
    const kept = new Map<string, string>();
    let under = 0;
    let most = 0;
    const keytar = keytarOver(kept);
    const setPassword: Keytar['setPassword'] = async (service, account, password) => {
      most = Math.max(most, ++under);
      await new Promise(resolve => setImmediate(resolve));
      under--;
      if (password === 'refused') throw new Error('refused');
      return keytar.setPassword(service, account, password);
    };
    const entries = await openLibrary('keytar', 'S', async () => ({ ...keytar, setPassword }));
    const texts = ['a', 'refused', 'b', 'c'];
    const outcomes = await Promise.allSettled(texts.map(text => entries.set('ada', text)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect([most, kept.get('S/ada')]).toEqual([1, 'c']);
  });

  it('are only reported absent when the probe can be read', async () => {
    const kept = new Map<string, string>();
    let isLocked = false;
    const keytar = keytarOver(kept);
    // What keytar was seen to do with a locked keyring.
    const lockable: Keytar = {
      getPassword: async (service, account) => (isLocked ? null : keytar.getPassword(service, account)),
      deletePassword: async (service, account) => !isLocked && keytar.deletePassword(service, account),
      async setPassword(service, account, password) {
        if (isLocked) throw new Error('Cannot create an item in a locked collection');
        return keytar.setPassword(service, account, password);
      },
    };
    const entries = await openLibrary('keytar', 'S', async () => lockable);
    await entries.set('ada', 'secret');
    expect([await entries.get('grace'), await entries.delete('grace')]).toEqual([undefined, false]);
    isLocked = true;
    for (const account of ['ada', 'grace']) {
      await expect(entries.get(account)).rejects.toMatchObject({ code: 'keychain_locked' });
      await expect(entries.delete(account)).rejects.toMatchObject({ code: 'keychain_locked' });
    }
  });
});
