import type { DestinationStream } from "pino";
import { pino } from "pino";
import type { Log, LogFields } from "#domain/log.ts";
import type { LogLevel } from "./settings.ts";

/**
 * The only fields that reach a log. A list of what may be said is safe against the field that nobody
 * thought of; a list of what must not be said is not (case, nesting, message texts).
 */
const ALLOWED_FIELDS: ReadonlySet<string> = new Set([
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
  "page",
  "part",
  "pauseMs",
  "purchaseId",
  "requestId",
  "retryAfterMs",
  "route",
  "session",
  "signal",
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
]);

/** These tempt to hold a message, which quotes what was being worked on: only names and codes pass. */
const NAME_FIELDS: ReadonlySet<string> = new Set(["error", "reason"]);
const NAME_TEXT = /^[\w.:-]{1,80}$/;

/** Long enough for a stack's frames, short enough that no body fits by accident. */
const MAX_TEXT_LENGTH = 1_200;

/** JSON lines on standard error: standard output holds nothing but the address to open. */
export function createLog(
  level: LogLevel,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Log {
  const lines = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return {
    info: (fields, message) => lines.info(allowed(fields), message),
    warn: (fields, message) => lines.warn(allowed(fields), message),
    error: (fields, message) => lines.error(allowed(fields), message),
  };
}

function allowed(fields: LogFields): LogFields {
  const kept: Record<string, LogFields[string]> = {};
  const left: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (!isAllowed(name, value)) left.push(name);
    else kept[name] = typeof value === "string" ? value.slice(0, MAX_TEXT_LENGTH) : value;
  }
  return left.length === 0 ? kept : { ...kept, fieldsLeftOut: left.join(",").slice(0, MAX_TEXT_LENGTH) };
}

function isAllowed(name: string, value: LogFields[string]): boolean {
  if (NAME_FIELDS.has(name)) return typeof value !== "string" || NAME_TEXT.test(value);
  return ALLOWED_FIELDS.has(name);
}
