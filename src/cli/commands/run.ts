import { writeFile } from 'node:fs/promises';
import { type Backend, createBackend, type DeployProgress, type Plan, ValidationError } from '../../backend/index.ts';
import { type Command, type CommandInput, commandTypes } from '../../model/command.ts';
import { formatPath, type Issue } from '../../model/errors/issue.ts';
import { isLocale, locales } from '../../model/locale.ts';
import { counted } from '../../wire/counted.ts';
import { CommandFailure, UsageError } from '../command-line.ts';
import { errorMessage } from '../failure.ts';
import { suggestion } from '../nearest.ts';
import { type Paint, paintFor, printable } from '../paint.ts';
import type { Output, Terminal } from '../terminal.ts';
import { waitingAt } from '../waiting.ts';
import { loadDefinitions, localized } from './definitions.ts';
import { callLog, explainFailure } from './explain-failure.ts';
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
export async function runCommands(settings: CommandsSettings, terminal: Terminal): Promise<Outcome> {
  const { baseUrl, applicationId, allowUnencrypted } = settings;
  const secrets = await readSecrets(terminal);
  const { botToken, clientSecret } = secrets;
  const calls = callLog();
  let backend: Backend | undefined;
  try {
    const { transport } = calls;
    backend = createBackend({ baseUrl, applicationId, botToken, clientSecret, allowUnencrypted, transport });
    const waiting = waitingAt(terminal);
    const called: Run['called'] = work => waiting(`the service at ${printable(baseUrl)}`, work);
    return await actions[settings.action]({ backend, settings, terminal, paint: paintFor(terminal.stdout), called });
  } catch (error) {
    throw explainFailure(error, { settings, secrets, calls });
  } finally {
    backend?.close();
  }
}

/** What an action works with. */
interface Run {
  readonly backend: Backend;
  readonly settings: CommandsSettings;
  readonly terminal: Terminal;
  readonly paint: Paint;
  /** Calls the service. At a terminal, a message says so when it takes long. */
  readonly called: <T>(work: Promise<T>) => Promise<T>;
}

type Action = (run: Run) => Promise<Outcome>;

const actions: Readonly<Record<ActionName, Action>> = {
  async plan(run) {
    tellPlan(await makePlan(run), run);
    return true;
  },
  async check(run) {
    const plan = await makePlan(run);
    tellPlan(plan, run);
    return plan.isInSync;
  },
  async deploy(run) {
    const plan = await makePlan(run);
    tellPlan(plan, run);
    if (plan.isInSync) return true;
    await confirmDeletions(plan, run);
    await scopeOf(run).deploy(plan, { onProgress: showProgress(run.terminal.stderr) });
    if (!run.settings.json)
      print(run, run.paint('green', 'Deployed. The registered commands are in sync with the definitions.'));
    return true;
  },
  async pull(run) {
    const commands = await run.called(scopeOf(run).list({ withLocalizations: true }));
    const text = JSON.stringify(commands.map(definitionOf), null, 2);
    const { out } = run.settings;
    if (out === undefined) print(run, text);
    else {
      await writeOut(out, `${text}\n`);
      print(run, `${counted(commands.length, 'command')} written to ${out}.`);
    }
    return true;
  },
  async show(run) {
    const { locale, json, operand: name } = run.settings;
    if (locale !== undefined) return showTexts(run, locale);
    const all = await run.called(scopeOf(run).list({ withLocalizations: true }));
    const commands = named(all, command => command.name, name);
    if (json) print(run, JSON.stringify(commands, null, 2));
    else if (name === undefined) print(run, ...listReport(commands, run.paint));
    else print(run, ...commands.flatMap(command => commandReport(command, run.paint)));
    return true;
  },
};

function scopeOf({ backend: { commands }, settings: { guildId } }: Run) {
  return guildId === undefined ? commands : commands.inGuild(guildId);
}

async function makePlan(run: Run): Promise<Plan> {
  const { operand: file = '', localizations: folder } = run.settings;
  const read = await loadDefinitions(file);
  const definitions = folder === undefined ? read : await withoutErrors(run, folder, () => localized(read, folder));
  return withoutErrors(run, file, () => run.called(scopeOf(run).plan(definitions)));
}

/** @throws CommandFailure after it has shown every error of the place */
async function withoutErrors<T>(run: Run, place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    tellIssues(run, error);
    throw new CommandFailure(`${place} has ${counted(error.issues.length, 'error')}; nothing was written.`);
  }
}

function tellPlan(plan: Plan, run: Run): void {
  if (run.settings.json) print(run, JSON.stringify(planDocument(plan), null, 2));
  else print(run, ...planReport(plan, run.paint));
}

function tellIssues(run: Run, { issues }: ValidationError): void {
  if (run.settings.json) print(run, JSON.stringify({ issues }, null, 2));
  else run.terminal.stderr.write(issuesReport(issues, paintFor(run.terminal.stderr)));
}

/** Every fault on a line of its own. */
function issuesReport(issues: readonly Issue[], paint: Paint): string {
  const lines = issues.map(({ path, code, message }) => {
    const where = paint('bold', printable(formatPath(path)));
    return `${where}: ${printable(message)} ${paint('dim', `(${code})`)}\n`;
  });
  return lines.join('');
}

/** Asks before anything is deleted. Without a terminal, only `--yes` allows it. */
async function confirmDeletions({ items }: Plan, { settings, terminal }: Run): Promise<void> {
  const deleted = items.filter(({ action }) => action === 'delete').map(({ name }) => printable(name));
  if (settings.yes || deleted.length === 0) return;
  const answer = await terminal.askWhether(`Delete ${deleted.join(', ')}?`);
  if (answer === true) return;
  if (answer === false) throw new CommandFailure('Nothing was written.');
  throw new CommandFailure(
    `This deploy would delete ${deleted.join(', ')}, and there is no terminal to confirm that. Nothing was written. Pass --yes to allow it.`,
  );
}

async function showTexts(run: Run, locale: string): Promise<true> {
  if (!isLocale(locale)) {
    const hint = suggestion(locale, locales) || ` Known are: ${locales.join(', ')}.`;
    throw new UsageError(`There is no locale "${locale}".${hint}`);
  }
  const all = await run.called(scopeOf(run).resolve(locale));
  const resolved = named(all, ({ command }) => command.name, run.settings.operand);
  if (run.settings.json) {
    const documents = resolved.map(({ command: { id, type, name }, texts }) => ({ id, type, name, texts }));
    print(run, JSON.stringify(documents, null, 2));
  } else print(run, ...resolved.flatMap(({ command, texts }) => textsReport(command, texts, run.paint)));
  return true;
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
  throw new CommandFailure(printable(`No command is called "${name}".${suggestion(name, items.map(nameOf))}`));
}

async function writeOut(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch(error => {
    throw new CommandFailure(`${file} cannot be written: ${errorMessage(error)}`);
  });
}

function print({ terminal }: Pick<Run, 'terminal'>, ...lines: readonly string[]): void {
  terminal.stdout.write(`${lines.join('\n')}\n`);
}

/**
 * A registered command in the form of a definition: without the fields that only responses have, and without what says
 * nothing. Deploying it changes nothing.
 */
function definitionOf(command: Command): CommandInput {
  const { id: _id, application_id: _application, guild_id: _guild, version: _version, type, ...content } = command;
  const { name, description, dm_permission, ...rest } = content;
  const isDerived = dm_permission !== false || (command.contexts ?? null) !== null;
  return withoutNothing({
    ...(type !== commandTypes.CHAT_INPUT && { type }),
    name,
    ...(description !== '' && { description }),
    ...rest,
    ...(!isDerived && { dm_permission }),
  }) as CommandInput;
}

/** Without fields that are null or false, which is what a field that is absent means; on every level. */
function withoutNothing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNothing);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(
    ([key, field]) => field !== null && (field !== false || key === 'dm_permission'),
  );
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutNothing(field)]));
}

/**
 * Prints the progress of a deploy: on a terminal in one line that changes, else in one line per step.
 *
 * @returns what to call with each progress; at the end the changing line is gone
 */
function showProgress(output: Output): (progress: DeployProgress) => void {
  const isTerminal = output.isTTY === true;
  return progress => {
    const text = describe(progress);
    if (isTerminal) output.write(`\r\x1b[2K${text}`);
    else if (text !== '') output.write(`${text}\n`);
  };
}

function describe({ done, total, current, waitingMs }: DeployProgress): string {
  if (current === undefined) return '';
  const what = current === 'all' ? 'all commands in one call' : `${current.action} ${printable(current.name)}`;
  const waiting = waitingMs === undefined ? '' : `: a limit is used up, waiting ${Math.ceil(waitingMs / 1000)} s`;
  return `[${done + 1}/${total}] ${what}${waiting}`;
}
