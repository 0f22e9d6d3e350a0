import { version } from '../model/version.ts';
import type { OptionGroups } from './command-line.ts';

/** The options of `rallypoint init`, by the headings of the help. */
export const initOptions: OptionGroups = {
  Project: {
    name: { value: 'NAME', help: ["the name in package.json (default: the folder's name)"] },
    sdk: {
      value: 'VERSION',
      help: [`the version of @rallypoint/sdk, or the path of its tarball (default ^${version})`],
    },
  },
  Output: {
    json: { help: ['print one JSON document on stdout'] },
    help: { short: 'h', help: ['show this help'] },
  },
};
