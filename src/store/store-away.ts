import { StoreError } from "./errors.ts";

/**
 * Whether an error is transient: the store is unreachable, the connection was lost, the disk is full, or the transaction
 * was aborted by a deadlock or serialization failure. A retry may succeed; whether the failed statement took effect is
 * unknown. False for constraint violations and bugs, which would recur.
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

/** Node's error codes of an unreachable server or a lost connection. */
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
/** SQLSTATE codes: connection errors, insufficient resources, deadlock, serialization failure, shutdown or start-up. */
const SERVER_CODES = /^(?:08|53|57P)\w+$|^(?:40001|40P01|25006|57014)$/;
/** Errors of the driver that carry no code. */
const DRIVER_MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

function isAwayItself(error: Error): boolean {
  if (error instanceof StoreError) return error.code === "overloaded";
  const code: unknown = "code" in error ? error.code : undefined;
  if (typeof code === "string") return LINE_CODES.has(code) || SERVER_CODES.test(code);
  return DRIVER_MESSAGES.test(error.message);
}
