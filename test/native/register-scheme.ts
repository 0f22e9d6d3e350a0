import { builtAddon } from './built.ts';

// Registers the scheme named on the command line for a program that does nothing.
const scheme = process.argv[2] ?? '';
(await builtAddon()).registerScheme({ scheme, id: `${scheme}.desktop`, name: scheme, command: ['/bin/true'] });
