import { isDeepStrictEqual } from 'node:util';
import { commandKey } from '../../model/command.ts';
import { type ApiErrorName, ArgumentError, RallypointError, RateLimitError } from '../../model/errors/errors.ts';
import { bodyOf, type CommandPlace, type DesiredContext, editOf } from '../../model/rules/commands/plan/desired.ts';
import type { Plan, PlanItem } from '../../model/rules/commands/plan/plan.ts';
import { fewestWrites, type Write, writesOneByOne } from '../../model/rules/commands/plan/writes.ts';
import { requireType } from '../../wire/arguments.ts';
import type { RequestOptions } from '../calls.ts';
import type { Operation } from '../operation.ts';
import type { CommandCalls } from './calls.ts';
import type { DeployProgress } from './registry.ts';

export interface DeployOptions extends Pick<RequestOptions, 'signal'> {
  /** Called before each call, while the deploy waits for a rate limit, and at the end. */
  readonly onProgress?: ((progress: DeployProgress) => void) | undefined;
  /** How long to wait for one rate limit. Default {@link rateLimitWaitMsDefault}, ten minutes. */
  readonly rateLimitWaitMs?: number | undefined;
}

/** Once the day's creates are used up, a new one becomes available every 432 s, so that a deploy waits even for those. */
export const rateLimitWaitMsDefault = 600_000;

/** What a deploy works with. */
export interface DeployPorts {
  readonly place: CommandPlace;
  readonly calls: CommandCalls;
  /** Waits for rate limits, and ends when the backend is closed. */
  readonly operation: Operation;
  readonly context: DesiredContext;
  /** Reads the registered commands and makes a new plan for the same definitions. */
  plan(desired: Plan['desired'], next: () => RequestOptions): Promise<Plan>;
}

/**
 * Executes a plan and reads the result.
 *
 * The registered commands are read first. If an earlier deploy of the plan was interrupted, this one continues; if anything
 * else has changed since the plan was made, nothing is written. A set that is in sync costs that read and no write.
 *
 * @returns the remaining plan, which has nothing to do
 * @throws ArgumentError `plan_blocked`, `plan_elsewhere`, `plan_outdated`, `invalid_argument`; RallypointError `commands_drifted` if the
 *   registered commands differ from what was written; RateLimitError if a limit lasts longer than `rateLimitWaitMs`; and
 *   what the calls throw
 */
export async function deploy(plan: Plan, ports: DeployPorts, options: DeployOptions): Promise<Plan> {
  requireType('plan', plan, 'object');
  if (!Array.isArray(plan.warnings)) {
    throw new ArgumentError(
      'invalid_argument',
      'plan must be what plan() has resolved with. Pass definitions to plan() first.',
    );
  }
  rejectBlocked(plan);
  rejectElsewhere(plan, ports.place);
  const next = () => callOptions(options);
  const current = await ports.plan(plan.desired, next);
  rejectOutdated(plan, current);
  if (current.isInSync) return current;
  await carryOut(current, ports, options);
  const left = await ports.plan(plan.desired, next);
  if (left.isInSync) return left;
  throw new RallypointError(
    'commands_drifted',
    `After the deploy ${describe(left)} still differ: another program writes to this scope, or the service stored other values.`,
  );
}

function callOptions({ signal }: DeployOptions): RequestOptions {
  return signal ? { signal } : {};
}

function rejectBlocked({ warnings }: Plan): void {
  const blocking = warnings.find(({ code }) => code === 'too_many_commands');
  if (blocking) throw new ArgumentError('plan_blocked', `The plan cannot be carried out: ${blocking.message}`);
}

function rejectElsewhere({ place }: Plan, { applicationId, guildId }: CommandPlace): void {
  if (place.applicationId === applicationId && place.guildId === guildId) return;
  const where = place.guildId === undefined ? 'the global commands' : `the commands of guild ${place.guildId}`;
  throw new ArgumentError('plan_elsewhere', `The plan is for ${where} of application ${place.applicationId}.`);
}

/** What is left to do must have been part of what was planned. */
function rejectOutdated(plan: Plan, current: Plan): void {
  const isPlanned = (item: PlanItem) => plan.items.some(planned => isSameStep(planned, item));
  const unplanned = current.items.filter(item => item.action !== 'leave' && !isPlanned(item));
  if (unplanned.length === 0) return;
  throw new ArgumentError(
    'plan_outdated',
    `What is registered has changed since the plan was made (${describe({ ...current, items: unplanned })}): plan again.`,
  );
}

function isSameStep(a: PlanItem, b: PlanItem): boolean {
  if (a.action !== b.action || commandKey(a) !== commandKey(b)) return false;
  if (a.action === 'edit' && b.action === 'edit') return isDeepStrictEqual(a.changes, b.changes);
  return a.action !== 'delete' || b.action !== 'delete' || a.stored.id === b.stored.id;
}

function describe({ items }: Pick<Plan, 'items'>): string {
  return items
    .filter(({ action }) => action !== 'leave')
    .map(({ action, name }) => `${action} ${name}`)
    .join(', ');
}

async function carryOut(plan: Plan, ports: DeployPorts, options: DeployOptions): Promise<void> {
  const writes = fewestWrites(plan, ports.context);
  try {
    await perform(writes, ports, options);
  } catch (error) {
    // A bulk write needs all creates at the same time; single calls can use each as it becomes available.
    const oneByOne = isCreateQuota(error) && writes[0]?.kind === 'all' ? writesOneByOne(plan) : undefined;
    if (!oneByOne) throw error;
    await perform(oneByOne, ports, options);
  }
}

const createsUsedUp = 'too_many_command_creates' satisfies ApiErrorName;

function isCreateQuota(error: unknown): boolean {
  return error instanceof RateLimitError && error.bucket === createsUsedUp;
}

async function perform(writes: readonly Write[], ports: DeployPorts, options: DeployOptions): Promise<void> {
  const { onProgress = () => {}, ...rest } = options;
  const total = writes.length;
  for (const [done, write] of writes.entries()) {
    const current = write.kind === 'all' ? 'all' : write.item;
    onProgress({ done, total, current });
    await sendWithinLimits(write, ports, rest, waitingMs => onProgress({ done, total, current, waitingMs }));
  }
  onProgress({ done: total, total });
}

/** Retries a rate-limited call when the limit allows it. Each of these calls can be repeated safely. */
async function sendWithinLimits(
  write: Write,
  ports: DeployPorts,
  { signal, rateLimitWaitMs = rateLimitWaitMsDefault }: DeployOptions,
  onWait: (ms: number) => void,
): Promise<void> {
  for (;;) {
    try {
      return await send(write, ports, callOptions({ ...(signal && { signal }) }));
    } catch (error) {
      const isPassing = error instanceof RateLimitError && error.retryAfterMs <= rateLimitWaitMs;
      if (!isPassing || (write.kind === 'all' && isCreateQuota(error))) throw error;
      onWait(error.retryAfterMs);
      await ports.operation.sleep(error.retryAfterMs);
    }
  }
}

async function send(write: Write, { calls, context }: DeployPorts, options: RequestOptions): Promise<void> {
  if (write.kind === 'all') {
    await calls.replaceAll(write.items, options);
    return;
  }
  const { item } = write;
  if (item.action === 'create') await calls.create(bodyOf(item.desired, context), options);
  if (item.action === 'edit') await calls.edit(item.stored, editOf(item.desired, context, item.stored), options);
  if (item.action === 'delete') await calls.delete(item.stored.id, options);
}
