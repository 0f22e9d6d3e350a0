import { version } from '../model/version.ts';
import { errorText } from '../wire/error-report.ts';
import { UsageError } from './command-line.ts';
import { commands, readAction } from './commands/commands.ts';
import { type ActionName, actionSummaries, operands, optionsOf } from './commands/settings.ts';
import { type Completable, completionScript, readShell, shells } from './completion.ts';
import {
  actionOf,
  actionsOf,
  type ControlCommand,
  controlOptions,
  isControlCommand,
  readControlAction,
} from './control/options.ts';
import { devOptions } from './dev-options.ts';
import { doctorCommand } from './doctor.ts';
import { doctorOptions } from './doctor-options.ts';
import { errorMessage } from './failure.ts';
import {
  backupHelp,
  commandSummaries,
  commandsHelp,
  completionHelp,
  controlHelp,
  devHelp,
  doctorHelp,
  generalHelp,
  initHelp,
  migrateHelp,
  moveHelp,
  restoreHelp,
  serveHelp,
} from './help.ts';
import { initOptions } from './init-options.ts';
import { suggestion } from './nearest.ts';
import { serve } from './serve.ts';
import { serveOptions } from './serve-options.ts';
import { backupOptions, migrateOptions, moveOptions, restoreOptions } from './state/options.ts';
import { backupCommand, migrateCommand, moveCommand, restoreCommand } from './state/run.ts';
import type { Terminal } from './terminal.ts';

const exitCodes = { done: 0, failed: 1, wrongUsage: 2 } as const;

/** Runs `rallypoint …`. Resolves with the exit code; an error is one line on stderr. */
export async function rallypoint([command, ...args]: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return (await run(command, args, terminal)) ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    // By their names: parts that are built apart have classes of their own.
    const name = error instanceof Error ? error.name : undefined;
    const expected = name === 'UsageError' || name === 'CommandFailure';
    const text = expected ? errorMessage(error) : errorText(error);
    terminal.stderr.write(`rallypoint: ${text}\n`);
    return name === 'UsageError' ? exitCodes.wrongUsage : exitCodes.failed;
  }
}

/** @returns false when the command was done and its answer is no */
async function run(command: string | undefined, args: readonly string[], terminal: Terminal): Promise<boolean> {
  switch (command) {
    // Loaded when they are run: a start of the service waits for none of them.
    case 'init':
      await (await import('./init.ts')).initCommand(args, terminal);
      return true;
    case 'dev':
      await (await import('./dev.ts')).devCommand(args, terminal);
      return true;
    case 'serve':
      await serve(args);
      return true;
    case 'commands':
      return commands(args, terminal);
    case 'doctor':
      return doctorCommand(args, terminal);
    case 'backup':
      await backupCommand(args, terminal);
      return true;
    case 'restore':
      await restoreCommand(args, terminal);
      return true;
    case 'move':
      await moveCommand(args, terminal);
      return true;
    case 'migrate':
      await migrateCommand(args, terminal);
      return true;
    case 'completion':
      terminal.stdout.write(completion(args));
      return true;
    // The command alone shows what there is, as those of most tools do.
    case undefined:
    case 'help':
    case '--help':
    case '-h':
      terminal.stdout.write(help(args));
      return true;
    case '--version':
    case '-v':
      // Whatever follows is ignored, as other tools do: package managers pass on options of their own.
      terminal.stdout.write(`${version}\n`);
      return true;
    default:
      if (!isControlCommand(command)) throw new UsageError(unknown(command));
      await (await import('./control/run.ts')).controlCommand(command, args, terminal);
      return true;
  }
}

function help([topic, action, ...others]: readonly string[]): string {
  const hasActions = topic === 'commands' || (topic !== undefined && isControlCommand(topic) && actionsOf(topic));
  const [extra] = hasActions || action === undefined ? others : [action];
  if (extra !== undefined) throw new UsageError(`"rallypoint help ${topic}" does not take "${extra}".`);
  if (topic === undefined || topic === 'help') return generalHelp();
  if (topic === 'init') return initHelp();
  if (topic === 'dev') return devHelp();
  if (topic === 'serve') return serveHelp();
  if (topic === 'commands') return commandsHelp(action === undefined ? undefined : readAction(action));
  if (isControlCommand(topic)) {
    const named = actionsOf(topic) && action !== undefined ? readControlAction(topic, action) : undefined;
    return controlHelp(topic, named);
  }
  if (topic === 'doctor') return doctorHelp();
  if (topic === 'completion') return completionHelp();
  if (topic === 'backup') return backupHelp();
  if (topic === 'restore') return restoreHelp();
  if (topic === 'move') return moveHelp();
  if (topic === 'migrate') return migrateHelp();
  throw new UsageError(unknown(topic));
}

function completion(args: readonly string[]): string {
  const [shell, ...rest] = args;
  if (shell === '--help' || shell === '-h') return completionHelp();
  const [extra] = rest;
  if (extra !== undefined) throw new UsageError(`"rallypoint completion" takes one shell (got "${extra}" too).`);
  return completionScript(readShell(shell), completables());
}

/** Everything that can be typed, for the shells. */
function completables(): Completable[] {
  const of: Readonly<Record<keyof typeof commandSummaries, Omit<Completable, 'name' | 'summary'>>> = {
    init: { options: initOptions, operand: 'DIR' },
    dev: { options: devOptions },
    serve: { options: serveOptions },
    commands: {
      options: {},
      actions: (Object.keys(actionSummaries) as ActionName[]).map(name => ({
        name,
        summary: actionSummaries[name],
        options: optionsOf(name),
        operand: operands[name],
      })),
    },
    users: controlCompletable('users'),
    lobbies: controlCompletable('lobbies'),
    token: controlCompletable('token'),
    clock: controlCompletable('clock'),
    fault: controlCompletable('fault'),
    use: controlCompletable('use'),
    logs: controlCompletable('logs'),
    doctor: { options: doctorOptions },
    backup: { options: backupOptions, operand: 'FILE' },
    restore: { options: restoreOptions, operand: 'FILE' },
    move: { options: moveOptions },
    migrate: { options: migrateOptions },
    completion: { options: {}, operand: 'shell', words: shells },
    help: { options: {}, operand: 'command', words: Object.keys(commandSummaries).filter(name => name !== 'help') },
  };
  const names = Object.keys(commandSummaries) as (keyof typeof commandSummaries)[];
  return names.map(name => ({ name, summary: commandSummaries[name], ...of[name] }));
}

function controlCompletable(command: ControlCommand): Omit<Completable, 'name' | 'summary'> {
  const leaf = (action?: string) => {
    const { operand, words, ...row } = actionOf(command, action);
    return { options: controlOptions(row), ...(operand && { operand }), ...(words && { words }) };
  };
  const actions = actionsOf(command);
  if (!actions) return leaf();
  return {
    options: {},
    actions: Object.entries(actions).map(([name, { summary }]) => ({ name, summary, ...leaf(name) })),
  };
}

function unknown(word: string): string {
  const kind = word.startsWith('-') ? 'option' : 'command';
  const known = [...Object.keys(commandSummaries), '--help', '--version'];
  return `There is no ${kind} ${word}.${suggestion(word, known)} "rallypoint help" lists the commands.`;
}
