/** One sample of what the service does, taken every second while someone reads the stream. Of this node. */
export interface ControlMetrics {
  /** When it was taken, on the machine's clock, because a virtual clock may stand still. */
  readonly taken_at_ms: number;
  /** The service's own time. */
  readonly now_ms: number;
  /** Since the sample before, per second. */
  readonly requests_per_second: number;
  /** Answers with 4xx, except 429. */
  readonly rejections_per_second: number;
  /** Answers with 429. */
  readonly rate_limits_per_second: number;
  /** Answers with 5xx. */
  readonly errors_per_second: number;
  /** Events that were announced to sessions of this node. */
  readonly events_per_second: number;
  /** Events that were sent to connections: one event to 25 sessions counts 25 times. */
  readonly dispatches_per_second: number;
  /** Webhook events and interactions sent to servers of applications, and those of them that were not accepted. */
  readonly deliveries_per_second: number;
  readonly failed_deliveries_per_second: number;
  readonly commits_per_second: number;
  /** Mean duration of a request in that second; 0 without any. */
  readonly request_ms: number;
  /** How late the event loop ran in that second. */
  readonly loop_delay_ms: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Share of one core that the process used: 0.25 is a quarter. */
  readonly cpu: number;
  readonly memory_bytes: number;
  readonly heap_bytes: number;
  readonly connections: number;
  readonly sessions_connected: number;
  readonly sessions_resumable: number;
  /** Bytes that wait for gateway clients to read them. */
  readonly backlog_bytes: number;
}
