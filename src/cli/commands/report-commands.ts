import type { PlacedText } from '../../backend/index.ts';
import { type Command, type CommandOption, optionTypes } from '../../model/command.ts';
import { formatPath } from '../../model/errors/issue.ts';
import { counted } from '../../wire/counted.ts';
import { type Paint, printable } from '../paint.ts';
import { heading, table } from '../table.ts';
import { typeName } from './report-plan.ts';

/** The registered commands, one line each. */
export function listReport(commands: readonly Command[], paint: Paint): string[] {
  const rows = commands.map(({ id, type, name, description }) => [
    paint('bold', printable(name)),
    typeName(type),
    paint('dim', id),
    printable(description),
  ]);
  const lines = rows.length > 0 ? [...table([heading(paint, 'name', 'type', 'id', 'description'), ...rows]), ''] : [];
  return [...lines, `${counted(rows.length, 'command')}.`];
}

/** One command with its options. */
export function commandReport(command: Command, paint: Paint): string[] {
  const fields = Object.entries(command)
    .filter(([field, value]) => !shownApart.has(field) && value !== null)
    .map(([field, value]) => [
      paint('dim', field),
      printable(typeof value === 'string' ? value : JSON.stringify(value)),
    ]);
  return [
    `${paint('bold', printable(command.name))}  ${typeName(command.type)}`,
    ...table(fields),
    ...(command.options ? [paint('dim', '  options'), ...optionLines(command.options, '    ', paint)] : []),
    '',
  ];
}

const shownApart: ReadonlySet<string> = new Set(['name', 'type', 'options'] satisfies (keyof Command)[]);

function optionLines(options: readonly CommandOption[], indent: string, paint: Paint): string[] {
  return options.flatMap(option => [
    [
      `${indent}${paint('bold', printable(option.name))}`,
      optionTypeName(option.type),
      ...(option.required ? [paint('yellow', 'required')] : []),
      printable(option.description),
    ].join('  '),
    ...(option.choices ?? []).map(
      ({ name, value }) => `${indent}  ${printable(name)} = ${printable(JSON.stringify(value))}`,
    ),
    ...optionLines(option.options ?? [], `${indent}  `, paint),
  ]);
}

function optionTypeName(type: number): string {
  return Object.entries(optionTypes).find(([, value]) => value === type)?.[0] ?? `type ${type}`;
}

/** What readers of one locale see of a command, and why. */
export function textsReport(command: Command, texts: readonly PlacedText[], paint: Paint): string[] {
  const rows = texts.map(({ path, text, reason, from }) => [
    paint('dim', formatPath(path)),
    printable(text),
    paint(reason === 'own' ? 'green' : 'yellow', reason === 'fallback' ? `${reason} to ${from}` : reason),
  ]);
  return [paint('bold', printable(command.name)), ...table([heading(paint, 'text', 'shown', 'reason'), ...rows]), ''];
}
