import { StoreError } from "./errors.ts";

/**
 * Whether a failure says that the store could not be reached, went away under the question, has no room on its disk, or
 * threw the transaction out for another's sake: the same question may be answered a moment later. Whether the one that failed took effect
 * is open. False for refusals and bugs, which would come again.
 */
export function isStoreAway(error: unknown): boolean {
  let current = error;
  for (let depth = 0; current instanceof Error && depth < MAX_CAUSES; depth += 1) {
    if (isAwayItself(current)) return true;
    current = current.cause;
  }
  return false;
}

const MAX_CAUSES = 4;

/** Of Node: the server is not there, or the line to it broke. */
const LINE_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOENT",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
/** Of PostgreSQL: broken connections, too many of them, a full disk, a lock or a serialization lost, a server that ends or starts. */
const SERVER_CODES = /^(?:08|53|57P)\w+$|^(?:40001|40P01|25006|57014)$/;
/** The driver gives these no code. */
const DRIVER_MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

function isAwayItself(error: Error): boolean {
  if (error instanceof StoreError) return error.code === "overloaded";
  const code: unknown = "code" in error ? error.code : undefined;
  if (typeof code === "string") return LINE_CODES.has(code) || SERVER_CODES.test(code);
  return DRIVER_MESSAGES.test(error.message);
}
