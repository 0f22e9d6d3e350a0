import type { Plan, PlanItem } from '../../backend/index.ts';
import { commandTypes } from '../../model/command.ts';
import { formatPath } from '../../model/errors/issue.ts';
import { limits } from '../../model/limits/limits.ts';
import { counted } from '../../wire/counted.ts';
import { type Paint, printable } from '../paint.ts';
import { heading, table } from '../table.ts';

type Action = PlanItem['action'];

const signs: Readonly<Record<Action, string>> = { create: '+', edit: '~', delete: '-', leave: '=' };
const styles: Readonly<Record<Action, Parameters<Paint>[0]>> = {
  create: 'green',
  edit: 'yellow',
  delete: 'red',
  leave: 'dim',
};
const actions = Object.keys(signs) as Action[];

/** What a plan does, as lines for people. Commands that stay as they are appear only in the count. */
export function planReport(plan: Plan, paint: Paint): string[] {
  const changed = plan.items.filter(({ action }) => action !== 'leave');
  return [
    ...(changed.length > 0
      ? [...table([heading(paint, 'action', 'command', 'type'), ...changed.map(item => row(item, paint))]), '']
      : []),
    ...changed.flatMap(item => changeLines(item, paint)),
    ...plan.warnings.map(({ code, command, message }) => {
      const about = command ? `${printable(command.name)}: ` : '';
      return `${paint('yellow', 'warning')} ${about}${printable(message)} (${code})`;
    }),
    ...(plan.warnings.length > 0 ? [''] : []),
    summary(plan),
  ];
}

/** `rallypoint commands plan --json`: everything of the plan, without what was sent in. */
export function planDocument(plan: Plan): object {
  return {
    in_sync: plan.isInSync,
    application_id: plan.place.applicationId,
    guild_id: plan.place.guildId ?? null,
    creates: plan.creates,
    commands: plan.items.map(item => ({
      action: item.action,
      type: item.type,
      name: item.name,
      id: item.action === 'create' ? null : item.stored.id,
      changes: item.action === 'edit' ? item.changes.map(changeDocument) : [],
    })),
    warnings: plan.warnings,
  };
}

/** The name of a command's type. */
export function typeName(type: number): string {
  return Object.entries(commandTypes).find(([, value]) => value === type)?.[0] ?? `type ${type}`;
}

function row(item: PlanItem, paint: Paint): string[] {
  const { action, name, type } = item;
  const renamed = item.action === 'edit' && item.stored.name !== name ? ` (was ${printable(item.stored.name)})` : '';
  return [paint(styles[action], `${signs[action]} ${action}`), printable(name) + renamed, paint('dim', typeName(type))];
}

function changeLines(item: PlanItem, paint: Paint): string[] {
  if (item.action !== 'edit') return [];
  const rows = item.changes.map(({ path, before, after }) => [
    formatPath(path),
    `${paint('red', show(before))} → ${paint('green', show(after))}`,
  ]);
  return [
    `  ${paint('bold', printable(item.name))}`,
    ...table([heading(paint, 'field', 'change'), ...rows], '    '),
    '',
  ];
}

/** JSON has no undefined, so null stands for a field that is absent. */
function changeDocument({ path, before, after }: Extract<PlanItem, { action: 'edit' }>['changes'][number]) {
  return { path, before: before ?? null, after: after ?? null };
}

// A whole list of options would fill the screen; `--json` has it.
const shownMax = 80;

function show(value: unknown): string {
  if (value === undefined) return '(nothing)';
  const text = printable(JSON.stringify(value));
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}

function summary({ items, creates, isInSync }: Plan): string {
  const counts = Object.groupBy(items, ({ action }) => action);
  const told = actions.filter(action => counts[action]).map(action => `${counts[action]?.length} to ${action}`);
  if (isInSync) return `In sync: ${counted(items.length, 'command')}, nothing to do.`;
  const cost = creates > 0 ? ` It costs ${creates} of the day's ${limits.commandCreatesPerDay} creates.` : '';
  return `${told.join(', ')}.${cost}`;
}
