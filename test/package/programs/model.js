// A page that checks a command before it asks anybody: in a browser, where no module of Node is.
import { checkCommand, limits, snowflakeTimeMs, version } from '@rallypoint/sdk/model';

const said = {
  version,
  issues: checkCommand({ name: 'Not A Name', description: '' }, { scope: 'global', traits: {} }).map(
    ({ code }) => code,
  ),
  nameLengthMax: limits.commandNameLengthMax,
  ms: snowflakeTimeMs('1054951789318909972'),
};
globalThis.told = JSON.stringify(said);
