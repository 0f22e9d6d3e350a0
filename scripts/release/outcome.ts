/** What a check found. Each fault and warning is one sentence that says what to do. */
export interface Outcome {
  /** What was looked at, in a few words. */
  readonly detail: string;
  /** Reasons not to publish. */
  readonly faults: readonly string[];
  /** What a publish from the public CI would not accept, but a dry run elsewhere may. */
  readonly warnings?: readonly string[];
}
