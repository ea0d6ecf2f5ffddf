/**
 * The only fields that are logged. An allowlist is safe against fields that were not thought of; a denylist is not
 * (case, nesting, message texts).
 */
export const LOG_FIELDS = [
  "attempt",
  "chargedCents",
  "code",
  "command",
  "count",
  "delayMs",
  "droppedCount",
  "durationMs",
  "errorAt",
  "errorCode",
  "errorName",
  "event",
  "failure",
  "filterId",
  "finding",
  "from",
  "kind",
  "lane",
  "listingId",
  "listings",
  "matches",
  "method",
  "mode",
  "ms",
  "newCount",
  "node",
  "openCount",
  "outcome",
  "page",
  "part",
  "pauseMs",
  "percent",
  "purchaseId",
  "refusal",
  "requestId",
  "retryAfterMs",
  "route",
  "session",
  "signal",
  "sinceMs",
  "slice",
  "source",
  "state",
  "status",
  "task",
  "transactionId",
  "untilMs",
  "userId",
  "version",
  "work",
] as const;

/** For names and codes only: callers may be tempted to pass a message, which quotes what was being processed. */
export const LOG_NAME_FIELDS = ["error", "reason"] as const;

type LogField = (typeof LOG_FIELDS)[number] | (typeof LOG_NAME_FIELDS)[number];

/** Plain values chosen by the caller; never whole bodies, headers or errors. */
export type LogFields = Readonly<Partial<Record<LogField, LogValue>>>;

export type LogValue = string | number | boolean | null | undefined;

export interface Log {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}
