import { join } from 'node:path';
import { listenForRedirects, RallypointError, registerScheme } from '@rallypoint/sdk';
import { askedFor, chooseWay, decideWay, type OpenRedirects } from '../main/redirects.ts';

/**
 * Receives redirects without Electron, by the forwarder's socket. The system is told to start this very program; it
 * takes its options from the environment, as this run did.
 */
export const nodeRedirects: OpenRedirects = async ({ client, options, onAccepted, onUnclaimed }) => {
  const { scheme, redirect, redirectFolder: folder } = options;
  const alone = { isFirstInstance: true, startAddress: undefined, close() {} };
  if (redirect === 'loopback') return { ...alone, view: askedFor(options) };
  const game = { path: process.execPath, args: [join(import.meta.dirname, 'main.ts')] };
  try {
    const receiver = await listenForRedirects({ client, scheme, folder, onAccepted, onUnclaimed });
    const registered = receiver.isFirstInstance
      ? registerScheme({ scheme, name: 'Starfall', game, folder })
      : Promise.reject(new RallypointError('second_instance', 'The game runs already.'));
    return {
      isFirstInstance: receiver.isFirstInstance,
      get startAddress() {
        return receiver.startAddress;
      },
      view: registered.then(
        ({ through }) => chooseWay(options, { isRegistered: true, through }),
        error => decideWay(options, failed(error), []),
      ),
      close: () => receiver.close(),
    };
  } catch (error) {
    return { ...alone, view: Promise.resolve(decideWay(options, failed(error), [])) };
  }
};

function failed(error: unknown) {
  if (!(error instanceof RallypointError)) throw error;
  return { isRegistered: false, through: 'game', reason: error.message } as const;
}
