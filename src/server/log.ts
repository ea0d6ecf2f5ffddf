import { type DestinationStream, pino } from "pino";
import { type Log, LOG_FIELDS, LOG_NAME_FIELDS, type LogFields, type LogValue } from "#domain/log.ts";
import type { LogLevel } from "./settings.ts";

const ALLOWED_FIELDS: ReadonlySet<string> = new Set(LOG_FIELDS);
const NAME_FIELDS: ReadonlySet<string> = new Set(LOG_NAME_FIELDS);
const NAME_TEXT = /^[\w.:-]{1,80}$/;

/** Long enough for stack frames, too short for a request body. */
const MAX_TEXT_LENGTH = 1_200;

/** JSON lines on standard error; standard output has only the address to open. */
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

/** The compiler rejects unknown fields in literals; spread ones are detected here. */
function allowed(fields: LogFields): Readonly<Record<string, LogValue>> {
  const kept: Record<string, LogValue> = {};
  const left: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (!isAllowed(name, value)) left.push(name);
    else kept[name] = typeof value === "string" ? value.slice(0, MAX_TEXT_LENGTH) : value;
  }
  return left.length === 0 ? kept : { ...kept, fieldsLeftOut: left.join(",").slice(0, MAX_TEXT_LENGTH) };
}

function isAllowed(name: string, value: LogValue): boolean {
  if (NAME_FIELDS.has(name)) return typeof value !== "string" || NAME_TEXT.test(value);
  return ALLOWED_FIELDS.has(name);
}
