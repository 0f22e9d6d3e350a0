/** What an operator does to a data folder. One module, because every other choice would cost each start a file to look up. */
export { backUp, restoreBackup } from './backup.ts';
export { inspectDataFolder } from './inspect.ts';
