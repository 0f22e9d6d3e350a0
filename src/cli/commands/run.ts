import { writeFile } from 'node:fs/promises';
import { type Backend, createBackend, type Plan, ValidationError } from '../../backend/index.ts';
import { RallypointError } from '../../model/errors.ts';
import { formatPath } from '../../model/issue.ts';
import { isLocale } from '../../model/locale.ts';
import { CommandFailure, UsageError } from '../command-line.ts';
import { errorMessage } from '../failure.ts';
import { suggestion } from '../nearest.ts';
import { paintFor, printable } from '../paint.ts';
import { askWhether } from '../prompt.ts';
import { definitionOf } from './definition-of.ts';
import { loadDefinitions } from './definitions.ts';
import { showProgress } from './progress.ts';
import { commandReport, listReport, textsReport } from './report-commands.ts';
import { planDocument, planReport } from './report-plan.ts';
import { readSecrets } from './secrets.ts';
import type { ActionName, CommandsSettings } from './settings.ts';

/** False: something differs (`check`). */
export type Outcome = boolean;

/**
 * Does what `rallypoint commands …` was asked for.
 *
 * @throws UsageError, CommandFailure
 */
export async function runCommands(settings: CommandsSettings): Promise<Outcome> {
  const backend = await openBackend(settings);
  try {
    return await actions[settings.action](backend, settings);
  } catch (error) {
    throw explained(error);
  } finally {
    backend.close();
  }
}

type Action = (backend: Backend, settings: CommandsSettings) => Promise<Outcome>;

const actions: Readonly<Record<ActionName, Action>> = {
  async plan(backend, settings) {
    tellPlan(await planFor(backend, settings), settings);
    return true;
  },
  async check(backend, settings) {
    const plan = await planFor(backend, settings);
    tellPlan(plan, settings);
    return plan.isInSync;
  },
  async deploy(backend, settings) {
    const plan = await planFor(backend, settings);
    tellPlan(plan, settings);
    if (plan.isInSync) return true;
    await confirmDeletions(plan, settings);
    await scopeOf(backend, settings).deploy(plan, { onProgress: showProgress(process.stderr) });
    if (!settings.json) print(paintFor(process.stdout)('green', 'Deployed, and found in sync.'));
    return true;
  },
  async pull(backend, settings) {
    const commands = await scopeOf(backend, settings).list({ withLocalizations: true });
    const text = `${JSON.stringify(commands.map(definitionOf), null, 2)}\n`;
    if (settings.out === undefined) process.stdout.write(text);
    else await writeOut(settings.out, text, commands.length);
    return true;
  },
  async show(backend, settings) {
    const { locale, operand: name } = settings;
    if (locale !== undefined) await showTexts(backend, settings, locale);
    else {
      const all = await scopeOf(backend, settings).list({ withLocalizations: true });
      const commands = named(all, command => command.name, name);
      const paint = paintFor(process.stdout);
      if (settings.json) print(JSON.stringify(commands, null, 2));
      else if (name === undefined) print(...listReport(commands, paint));
      else print(...commands.flatMap(command => commandReport(command, paint)));
    }
    return true;
  },
};

async function openBackend(settings: CommandsSettings): Promise<Backend> {
  const { applicationId, apiBase, allowUnencrypted } = settings;
  const secrets = await readSecrets(process.env);
  try {
    return createBackend({ applicationId, ...secrets, ...(apiBase && { apiBase }), allowUnencrypted });
  } catch (error) {
    throw explained(error);
  }
}

function scopeOf({ commands }: Backend, { guildId }: CommandsSettings) {
  return guildId === undefined ? commands : commands.inGuild(guildId);
}

async function planFor(backend: Backend, settings: CommandsSettings): Promise<Plan> {
  const { operand: file = '', localizations } = settings;
  try {
    const definitions = await loadDefinitions(file, localizations);
    return await scopeOf(backend, settings).plan(definitions);
  } catch (error) {
    if (error instanceof ValidationError) throw tellIssues(file, error, settings);
    throw error;
  }
}

function tellPlan(plan: Plan, settings: CommandsSettings): void {
  if (settings.json) print(JSON.stringify(planDocument(plan), null, 2));
  else print(...planReport(plan, paintFor(process.stdout)));
}

/** Every fault on a line of its own. */
function tellIssues(file: string, { issues }: ValidationError, { json }: CommandsSettings): CommandFailure {
  if (json) print(JSON.stringify({ issues }, null, 2));
  else {
    const paint = paintFor(process.stderr);
    for (const { path, code, message } of issues) {
      const line = `${paint('bold', printable(formatPath(path)))}: ${printable(message)} ${paint('dim', `(${code})`)}`;
      process.stderr.write(`${line}\n`);
    }
  }
  return new CommandFailure(
    `${file} has ${issues.length} fault${issues.length === 1 ? '' : 's'}; nothing was written.`,
  );
}

/** Asks before anything is deleted, where somebody can answer. */
async function confirmDeletions({ items }: Plan, { yes }: CommandsSettings): Promise<void> {
  const deleted = items.filter(({ action }) => action === 'delete').map(({ name }) => printable(name));
  if (yes || deleted.length === 0) return;
  const answer = await askWhether(`Delete ${deleted.join(', ')}?`);
  if (answer === false) throw new CommandFailure('Nothing was written.');
}

async function showTexts(backend: Backend, settings: CommandsSettings, locale: string): Promise<void> {
  if (!isLocale(locale)) throw new UsageError(`There is no locale "${locale}".`);
  const all = await scopeOf(backend, settings).resolve(locale);
  const resolved = named(all, ({ command }) => command.name, settings.operand);
  if (settings.json) {
    const documents = resolved.map(({ command: { id, type, name }, texts }) => ({ id, type, name, texts }));
    print(JSON.stringify(documents, null, 2));
  } else {
    const paint = paintFor(process.stdout);
    print(...resolved.flatMap(({ command, texts }) => textsReport(command, texts, paint)));
  }
}

/** All, or those of that name. */
function named<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  name: string | undefined,
): readonly Item[] {
  if (name === undefined) return items;
  const found = items.filter(item => nameOf(item) === name);
  if (found.length > 0) return found;
  throw new CommandFailure(`No command is called "${name}".${suggestion(name, items.map(nameOf))}`);
}

async function writeOut(file: string, text: string, count: number): Promise<void> {
  await writeFile(file, text).catch(error => {
    throw new CommandFailure(`${file} cannot be written: ${errorMessage(error)}`);
  });
  print(`${count} command${count === 1 ? '' : 's'} written to ${file}.`);
}

function explained(error: unknown): unknown {
  return error instanceof RallypointError ? new CommandFailure(printable(errorMessage(error))) : error;
}

function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
