import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The options of this process. With others it says which there are, and ends. */
export function readOptions<Options extends NonNullable<ParseArgsConfig['options']>>(usage: string, options: Options) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nUsage: ${usage}\n`);
    return process.exit(2);
  }
}
