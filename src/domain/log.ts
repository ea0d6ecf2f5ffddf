/**
 * The only fields that are logged. An allowlist also excludes fields that were not anticipated; a denylist does not
 * (case, nesting, message texts).
 */
export const LOG_FIELDS = [
  "attempt",
  "block",
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

/** For names and codes only: an error's message may quote the data being processed. */
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

const MAX_CAUSES = 4;

/**
 * The loggable parts of an error: names, codes and stack frames. Never the message, which may quote the data being
 * processed (a query with its parameters, an address, a token).
 */
export function describeError(error: unknown): LogFields {
  const chain = causeChain(error);
  const codes = chain.map(codeOf).filter((code) => code !== null);
  const [first] = chain;
  return {
    errorName: chain.map((one) => one.name).join(" < ") || typeof error,
    ...(codes.length === 0 ? {} : { errorCode: codes.join(" < ") }),
    ...(first === undefined ? {} : { errorAt: placesOf(first) }),
  };
}

/** The error and its causes, as far as they are looked at. */
export function causeChain(error: unknown): Error[] {
  const chain: Error[] = [];
  let current = error;
  while (current instanceof Error && chain.length < MAX_CAUSES) {
    chain.push(current);
    current = current.cause;
  }
  return chain;
}

function codeOf(error: Error): string | null {
  const code: unknown = "code" in error ? error.code : undefined;
  if (typeof code === "number") return String(code);
  return typeof code === "string" && /^[\w.-]{1,60}$/.test(code) ? code : null;
}

/** The stack's frames only: its first lines are the message. */
function placesOf(error: Error): string {
  const stack = error.stack ?? "";
  const headEnd = stack.indexOf(error.message) + error.message.length;
  return stack
    .slice(headEnd)
    .split("\n")
    .filter((line) => /^ {4}at .+(:\d+:\d+\)?|<anonymous>\)?)$/.test(line))
    .slice(0, 12)
    .map((line) => line.trim().slice(3))
    .join(" | ");
}
