import type { DestinationStream } from "pino";
import { pino } from "pino";
import type { Log, LogFields } from "#domain/log.ts";
import type { LogLevel } from "./settings.ts";

/**
 * The only fields that reach a log. A list of what may be said is safe against the field that nobody
 * thought of; a list of what must not be said is not (case, nesting, message texts).
 */
const ALLOWED_FIELDS: ReadonlySet<string> = new Set([
  "account",
  "address",
  "attempt",
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
  "filterId",
  "kind",
  "listingId",
  "method",
  "page",
  "part",
  "purchaseId",
  "reason",
  "requestId",
  "retryAfterMs",
  "retryInMs",
  "route",
  "session",
  "signal",
  "slice",
  "state",
  "status",
  "untilMs",
  "userId",
  "version",
]);

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
    if (!ALLOWED_FIELDS.has(name)) left.push(name);
    else kept[name] = typeof value === "string" ? value.slice(0, MAX_TEXT_LENGTH) : value;
  }
  return left.length === 0 ? kept : { ...kept, fieldsLeftOut: left.join(",").slice(0, MAX_TEXT_LENGTH) };
}
