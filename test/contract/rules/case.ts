import type { CommandType } from '../../../src/model/command.ts';
import type { CommandRule } from './rules.ts';
import type { ApplicationName, RuleWorld } from './world.ts';

interface Named {
  readonly rule: CommandRule;
  /** The boundary, in words. */
  readonly says: string;
}

/** A body that registers one command; the rulebook and the service find the same faults in it. */
export interface CreateCase extends Named {
  readonly kind: 'create';
  readonly body: unknown;
  /** `path CODE` in the order of the rulebook; none: it is valid. */
  readonly faults: readonly string[];
  /** Default: `game`. */
  readonly application?: ApplicationName;
  /** Default: `global`. */
  readonly scope?: 'global' | 'guild';
}

/** A body that edits a command of that type. */
export interface EditCase extends Named {
  readonly kind: 'edit';
  readonly type: CommandType;
  readonly body: unknown;
  readonly faults: readonly string[];
}

/** A body that replaces all commands. */
export interface ReplaceCase extends Named {
  readonly kind: 'replace';
  readonly body: unknown;
  readonly faults: readonly string[];
}

/** What the model says by itself, where the rule is one of the model's, and the service over HTTP: both the same. */
export interface StoryCase extends Named {
  readonly kind: 'story';
  readonly expected: unknown;
  readonly model?: () => unknown;
  readonly http: (world: RuleWorld) => Promise<unknown>;
}

export type RuleCase = CreateCase | EditCase | ReplaceCase | StoryCase;

type Options = Pick<CreateCase, 'application' | 'scope'>;

export function valid(rule: CommandRule, says: string, body: unknown, options: Options = {}): CreateCase {
  return { kind: 'create', rule, says, body, faults: [], ...options };
}

export function refused(
  rule: CommandRule,
  says: string,
  body: unknown,
  faults: readonly string[],
  options: Options = {},
): CreateCase {
  return { kind: 'create', rule, says, body, faults, ...options };
}

/** Just below and at the greatest number it is valid, just above it has the faults. */
export function atMost(
  max: number,
  rule: CommandRule,
  what: string,
  make: (count: number) => unknown,
  faults: readonly string[],
): CreateCase[] {
  return [
    valid(rule, `${what} ${max - 1}`, make(max - 1)),
    valid(rule, `${what} ${max}`, make(max)),
    refused(rule, `${what} ${max + 1}`, make(max + 1), faults),
  ];
}

/** Just below the smallest number it has the faults, at it and just above it is valid. */
export function atLeast(
  min: number,
  rule: CommandRule,
  what: string,
  make: (count: number) => unknown,
  faults: readonly string[],
): CreateCase[] {
  return [
    refused(rule, `${what} ${min - 1}`, make(min - 1), faults),
    valid(rule, `${what} ${min}`, make(min)),
    valid(rule, `${what} ${min + 1}`, make(min + 1)),
  ];
}

export function story(rule: CommandRule, says: string, rest: Omit<StoryCase, 'kind' | 'rule' | 'says'>): StoryCase {
  return { kind: 'story', rule, says, ...rest };
}
