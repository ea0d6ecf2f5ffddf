/**
 * The only fields that reach a log. A list of what may be said is safe against the field that nobody thought of; a list
 * of what must not be said is not (case, nesting, message texts).
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

/** Names and codes alone pass here: these fields tempt to hold a message, which quotes what was being worked on. */
export const LOG_NAME_FIELDS = ["error", "reason"] as const;

type LogField = (typeof LOG_FIELDS)[number] | (typeof LOG_NAME_FIELDS)[number];

/** What may enter a log: plain values chosen by the caller, never bodies, headers or errors whole. */
export type LogFields = Readonly<Partial<Record<LogField, LogValue>>>;

export type LogValue = string | number | boolean | null | undefined;

export interface Log {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}
