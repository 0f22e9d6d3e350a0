import { RedirectError } from '../../../model/errors/errors.ts';
import type { NativeAddon } from '../../native/contract.ts';
import { loadNative } from '../../native/load.ts';
import type { Machine } from '../machine.ts';
import { freedesktopHandlers } from './freedesktop.ts';
import type { SchemeHandlers } from './scheme-handlers.ts';

/**
 * By the addon; without it, on Linux, by `xdg-mime` and a desktop file.
 *
 * @throws RedirectError `registration_unavailable`: there is neither
 */
export async function openSchemeHandlers(machine: Machine, load = loadNative): Promise<SchemeHandlers> {
  const native = await load();
  if ('addon' in native) return nativeHandlers(native.addon);
  if (machine.platform !== 'win32' && machine.platform !== 'darwin') return freedesktopHandlers(machine);
  const looked = native.missing.join(' ');
  throw new RedirectError(
    'registration_unavailable',
    `Here a scheme is registered by the native addon only, which was not found: ${looked} ` +
      'In Electron leave the registration to receiveRedirects; an installer can write it too; loopback needs none.',
  );
}

function nativeHandlers(addon: NativeAddon): SchemeHandlers {
  return {
    by: 'addon',
    handlerOf: async scheme => addon.handlerOf(scheme),
    register: async registration => translated(() => addon.registerScheme(registration)),
    unregister: async (scheme, id) => translated(() => addon.unregisterScheme(scheme, id)),
  };
}

function translated(call: () => void): void {
  try {
    call();
  } catch (cause) {
    const { code } = Object(cause) as { code?: unknown };
    if (cause instanceof RedirectError || typeof code !== 'string') throw cause;
    throw new RedirectError('registration_failed', `The system refused the registration (${code}).`, { cause });
  }
}
